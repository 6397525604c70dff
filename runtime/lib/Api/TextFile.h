// SPDX-License-Identifier: Apache-2.0
//
// Text to a file, for everything that leaves one behind.

#ifndef RING_RUNTIME_API_TEXTFILE_H
#define RING_RUNTIME_API_TEXTFILE_H

#include "ring-runtime/Status.h"

#include <cstdio>
#include <string>

namespace ring::rt {

/// Writes a file, or says that it could not.
inline Status writeText(const std::string &path, const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return error("cannot write '", path, "'");
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written &= std::fclose(file) == 0;
  if (!written)
    return error("cannot write '", path, "'");
  return Status::success();
}

} // namespace ring::rt

#endif // RING_RUNTIME_API_TEXTFILE_H
