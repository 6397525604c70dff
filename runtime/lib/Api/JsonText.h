// SPDX-License-Identifier: Apache-2.0
//
// Strings in JSON, for everything that writes it.

#ifndef RING_RUNTIME_API_JSONTEXT_H
#define RING_RUNTIME_API_JSONTEXT_H

#include <cstdio>
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

} // namespace ring::rt

#endif // RING_RUNTIME_API_JSONTEXT_H
