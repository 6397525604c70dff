// SPDX-License-Identifier: Apache-2.0
//
// One walk over the template. Values are not searched for marks, so no text of
// a program can act as one.

#include "Report/Template.h"

namespace ring::rt {

std::string fillTemplate(const std::string &text,
                         const TemplateValues &values) {
  auto valueOf = [&](const std::string &name) {
    auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  std::string out;
  size_t position = 0;
  while (true) {
    size_t open = text.find("{{", position);
    size_t close = text.find("}}", open);
    if (open == std::string::npos || close == std::string::npos)
      return out + text.substr(position);
    out += text.substr(position, open - position);
    std::string name = text.substr(open + 2, close - open - 2);
    position = close + 2;
    if (name[0] == '/')
      continue;
    if (name[0] != '#') {
      out += valueOf(name);
      continue;
    }
    if (!valueOf(name.substr(1)).empty())
      continue;
    std::string end = "{{/" + name.substr(1) + "}}";
    size_t found = text.find(end, position);
    position = found == std::string::npos ? text.size() : found + end.size();
  }
}

std::string escapedHtml(const std::string &text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

} // namespace ring::rt
