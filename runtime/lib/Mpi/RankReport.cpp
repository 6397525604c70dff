// SPDX-License-Identifier: Apache-2.0
//
// Packing: numbers as they are in memory, lists and texts with their length in
// front. One description of each record serves both directions.

#include "Mpi/RankReport.h"

#include <cstring>
#include <type_traits>

namespace ring::rt {

namespace {

/// Appends.
struct Packer {
  std::vector<uint8_t> &bytes;

  template <typename T>
  void number(const T &value) {
    static_assert(std::is_arithmetic_v<T>);
    size_t end = bytes.size();
    bytes.resize(end + sizeof(T));
    std::memcpy(bytes.data() + end, &value, sizeof(T));
  }
};

/// Takes from the front; zeros once there is nothing left.
struct Unpacker {
  const std::vector<uint8_t> &bytes;
  size_t position = 0;
  bool complete = true;

  template <typename T>
  void number(T &value) {
    static_assert(std::is_arithmetic_v<T>);
    value = T();
    if (bytes.size() - position < sizeof(T)) {
      complete = false;
      return;
    }
    std::memcpy(&value, bytes.data() + position, sizeof(T));
    position += sizeof(T);
  }

  /// A length, which cannot be more than the bytes that are left.
  size_t length() {
    uint64_t count = 0;
    number(count);
    if (count > bytes.size() - position) {
      complete = false;
      return 0;
    }
    return count;
  }
};

/// The numbers of each record, in one order for both directions.
template <typename Via, typename Record>
void numbersOf(Via &via, Record &record) {
  using Plain = std::remove_const_t<Record>;
  if constexpr (std::is_same_v<Plain, OpStatistics>) {
    via.number(record.count);
    via.number(record.seconds);
    via.number(record.flops);
    via.number(record.bytes);
  } else if constexpr (std::is_same_v<Plain, TraceEvent>) {
    via.number(record.device);
    via.number(record.instruction);
    via.number(record.begin);
    via.number(record.end);
    via.number(record.heldBytes);
  } else {
    static_assert(std::is_same_v<Plain, DeviceStatistics>);
    via.number(record.seconds);
    via.number(record.busySeconds);
    via.number(record.flops);
    via.number(record.bytesSent);
    via.number(record.bytesReceived);
    via.number(record.peakBytes);
    via.number(record.peakKeyValueBytes);
    via.number(record.scratchBytes);
  }
}

} // namespace

std::vector<uint8_t> RankReport::pack() const {
  std::vector<uint8_t> bytes;
  Packer packer{bytes};
  packer.number(seconds);
  packer.number(uint64_t(sent.size()));
  for (int64_t count : sent)
    packer.number(count);
  packer.number(uint64_t(streams.size()));
  for (const DeviceStatistics &stream : streams) {
    numbersOf(packer, stream);
    packer.number(uint64_t(stream.ops.size()));
    for (const auto &[name, op] : stream.ops) {
      packer.number(uint64_t(name.size()));
      bytes.insert(bytes.end(), name.begin(), name.end());
      numbersOf(packer, op);
    }
  }
  packer.number(uint64_t(trace.size()));
  for (const TraceEvent &event : trace)
    numbersOf(packer, event);
  return bytes;
}

Result<RankReport> RankReport::unpack(const std::vector<uint8_t> &bytes) {
  RankReport report;
  Unpacker unpacker{bytes};
  unpacker.number(report.seconds);
  report.sent.resize(unpacker.length());
  for (int64_t &count : report.sent)
    unpacker.number(count);
  report.streams.resize(unpacker.length());
  for (DeviceStatistics &stream : report.streams) {
    numbersOf(unpacker, stream);
    for (size_t left = unpacker.length(); left > 0; --left) {
      size_t size = unpacker.length();
      auto begin = bytes.begin() + static_cast<int64_t>(unpacker.position);
      std::string name(begin, begin + static_cast<int64_t>(size));
      unpacker.position += size;
      numbersOf(unpacker, stream.ops[name]);
    }
  }
  report.trace.resize(unpacker.length());
  for (TraceEvent &event : report.trace)
    numbersOf(unpacker, event);
  if (!unpacker.complete || unpacker.position != bytes.size())
    return error("expects a report of ", unpacker.position, " bytes or more, ",
                 "but got ", bytes.size());
  return report;
}

} // namespace ring::rt
