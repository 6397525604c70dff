// SPDX-License-Identifier: Apache-2.0
//
// Bytes as people read them, for compiler and runtime alike.

#ifndef RING_MACHINE_BYTES_H
#define RING_MACHINE_BYTES_H

#include <cstdint>
#include <optional>
#include <string>

namespace ring::machine {

/// Each is 1024 of the one before.
constexpr const char *kByteUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};

/// "14.2 GiB", "96.0 KiB", "17 B".
std::string formatBytes(double bytes);

/// The bytes that a text such as 12GiB, 1.5MiB, 64KiB or 4096 says; nothing if
/// it says none.
std::optional<int64_t> parseBytes(const std::string &text);

} // namespace ring::machine

#endif // RING_MACHINE_BYTES_H
