// SPDX-License-Identifier: Apache-2.0
//
// Errors as values. Nothing in the runtime throws: what can fail returns a
// Status, or a Result that holds either a value or the reason why there is
// none.

#ifndef RING_RUNTIME_STATUS_H
#define RING_RUNTIME_STATUS_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace ring::rt {

/// A device's memory that does not suffice.
struct MemoryShortage {
  std::string what;  ///< what was to be held, such as "value %3 tensor<4xf32>"
  int64_t bytes = 0; ///< that it takes
  int64_t inUse = 0; ///< that others took before
  int64_t limit = 0; ///< that the device has
};

/// Success, or a message that says what was expected and what was found.
class [[nodiscard]] Status {
public:
  static Status success() { return Status(); }
  static Status failure(std::string message) {
    Status status;
    status.text = std::move(message);
    return status;
  }

  /// Failure since a device's memory does not suffice.
  static Status outOfMemory(MemoryShortage shortage) {
    std::ostringstream message;
    message << "device memory is exceeded: " << shortage.what << " takes "
            << shortage.bytes << " bytes, " << shortage.inUse
            << " are in use and the limit is " << shortage.limit;
    Status status = failure(message.str());
    status.lack = std::move(shortage);
    return status;
  }

  /// The same failure and message, known to be a shortage of memory.
  Status dueTo(MemoryShortage shortage) const {
    Status status = *this;
    status.lack = std::move(shortage);
    return status;
  }

  /// The same failure, with where it happened in front of its message.
  Status in(const std::string &where) const {
    Status status = *this;
    status.text = where + ": " + message();
    return status;
  }

  /// True on success.
  explicit operator bool() const { return !text; }

  /// What memory did not suffice for, if that is why it failed; else null.
  const MemoryShortage *shortage() const { return lack ? &*lack : nullptr; }

  /// The reason of a failure.
  const std::string &message() const {
    assert(text && "a success has no message");
    return *text;
  }

private:
  Status() = default;
  std::optional<std::string> text;
  std::optional<MemoryShortage> lack;
};

/// A failure whose message is made of parts: `error("expects ", 4, " axes")`.
template <typename... Parts>
Status error(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return Status::failure(stream.str());
}

/// A value, or the failure that prevented it.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)), outcome(Status::success()) {}
  Result(Status failure) : outcome(std::move(failure)) {
    assert(!outcome && "a success needs a value");
  }

  /// True if there is a value.
  explicit operator bool() const { return held.has_value(); }

  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

  const Status &status() const { return outcome; }
  const std::string &message() const { return outcome.message(); }

private:
  std::optional<T> held;
  Status outcome;
};

} // namespace ring::rt

#endif // RING_RUNTIME_STATUS_H
