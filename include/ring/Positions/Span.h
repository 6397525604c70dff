// SPDX-License-Identifier: Apache-2.0
// A view of a list, so that compiler and runtime hand over the lists they have.

#ifndef RING_POSITIONS_SPAN_H
#define RING_POSITIONS_SPAN_H

#include <cstdint>
#include <utility>

namespace ring::positions {

/// Some elements side by side that belong to somebody else.
template <typename T>
class Span {
public:
  Span() = default;
  Span(const T *elements, int64_t count) : elements(elements), count(count) {}
  Span(const T &one) : elements(&one), count(1) {}
  /// Any list that is contiguous: std::vector, llvm::ArrayRef, ...
  template <typename List,
            typename = decltype(std::declval<const List &>().data())>
  Span(const List &list)
      : Span(list.data(), static_cast<int64_t>(list.size())) {}

  const T *begin() const { return elements; }
  const T *end() const { return elements + count; }
  int64_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T &operator[](int64_t i) const { return elements[i]; }

private:
  const T *elements = nullptr;
  int64_t count = 0;
};

} // namespace ring::positions

#endif // RING_POSITIONS_SPAN_H
