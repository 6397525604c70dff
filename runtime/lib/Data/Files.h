// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out, for everything that reads one or leaves one behind.
// A failure has the system's reason.

#ifndef RING_RUNTIME_DATA_FILES_H
#define RING_RUNTIME_DATA_FILES_H

#include "ring-runtime/Status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ring::rt {

/// The bytes of a file.
inline Result<std::vector<uint8_t>> readFile(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return error("cannot open '", path, "': ", std::strerror(errno));
  std::vector<uint8_t> bytes, chunk(1 << 20);
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), file))
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
  // A folder can be opened, but not read.
  int reason = std::ferror(file) ? errno : 0;
  std::fclose(file);
  if (reason != 0)
    return error("cannot read '", path, "': ", std::strerror(reason));
  return bytes;
}

/// Writes a file of these parts, one behind the other.
inline Status writeFile(const std::string &path,
                        const std::vector<std::string_view> &parts) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr;
  for (std::string_view part : parts)
    written = written &&
              std::fwrite(part.data(), 1, part.size(), file) == part.size();
  int reason = errno;
  // What is still in a buffer may fail to leave it.
  if (file && std::fclose(file) != 0 && written) {
    written = false;
    reason = errno;
  }
  if (!written)
    return error("cannot write '", path, "': ", std::strerror(reason));
  return Status::success();
}

} // namespace ring::rt

#endif // RING_RUNTIME_DATA_FILES_H
