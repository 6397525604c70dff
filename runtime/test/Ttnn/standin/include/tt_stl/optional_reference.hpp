// SPDX-License-Identifier: Apache-2.0
//
// A reference, or nothing.

#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>

namespace ttsl {

template <typename T>
class optional_reference {
public:
  optional_reference() = default;
  optional_reference(std::nullopt_t) {}
  optional_reference(T &value) noexcept : target(std::addressof(value)) {}
  optional_reference(std::optional<T> &value) {
    if (value)
      target = std::addressof(*value);
  }
  template <typename U>
    requires std::is_const_v<T> && std::same_as<std::remove_const_t<T>, U>
  optional_reference(const U &value) noexcept : target(std::addressof(value)) {}
  template <typename U>
    requires std::is_const_v<T> && std::same_as<std::remove_const_t<T>, U>
  optional_reference(const std::optional<U> &value) {
    if (value)
      target = std::addressof(*value);
  }

  bool has_value() const { return target != nullptr; }
  operator bool() const { return has_value(); }
  T *operator->() const { return target; }
  T &operator*() const { return *target; }
  T &value() const { return *target; }

private:
  T *target = nullptr;
};

} // namespace ttsl
