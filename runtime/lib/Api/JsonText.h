// SPDX-License-Identifier: Apache-2.0
//
// Strings and lists in JSON, for everything that writes it.

#ifndef RING_RUNTIME_API_JSONTEXT_H
#define RING_RUNTIME_API_JSONTEXT_H

#include <cstdio>
#include <ostream>
#include <string>

namespace ring::rt {

/// A string as JSON writes it.
inline std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Writes a list of anything, with commas between.
template <typename List, typename Write>
void printList(std::ostream &out, const List &entries, Write write) {
  out << "[";
  bool first = true;
  for (const auto &entry : entries) {
    out << (first ? "" : ",");
    first = false;
    write(entry);
  }
  out << "]";
}

} // namespace ring::rt

#endif // RING_RUNTIME_API_JSONTEXT_H
