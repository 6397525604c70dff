// SPDX-License-Identifier: Apache-2.0
//
// Which rows are in a sample. They are drawn by a fixed sequence, so that a
// check means the same every time; the first and the last are among them, since
// that is where the patterns of attentions begin and end.

#include "Data/Numbers.h"
#include "ring-runtime/Runtime.h"

#include <set>

namespace ring::rt {

std::vector<int64_t> RowSample::rowsOf(const Shape &shape) const {
  int64_t count = shape.empty() ? 1 : elementCount(shape) / shape.back();
  std::set<int64_t> rows;
  if (isAll() || count <= most) {
    for (int64_t row = 0; row < count; ++row)
      rows.insert(rows.end(), row);
  } else {
    rows = {0};
    if (most > 1)
      rows.insert(count - 1);
    // Steps by the golden ratio's share of 2^64 are spread evenly however many
    // there are. Worked example, 64 of 4096 rows: 0, 2531, 967, 3499, ...
    constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;
    for (uint64_t at = kGolden; static_cast<int64_t>(rows.size()) < most;
         at += kGolden)
      rows.insert(static_cast<int64_t>(static_cast<double>(at >> 11) * 0x1p-53 *
                                       static_cast<double>(count)));
  }
  return {rows.begin(), rows.end()};
}

std::vector<double> RowSample::numbersOf(std::vector<double> numbers,
                                         const Shape &shape) const {
  if (isAll())
    return numbers;
  int64_t length = shape.empty() ? 1 : shape.back();
  std::vector<double> taken;
  for (int64_t row : rowsOf(shape))
    taken.insert(taken.end(), numbers.begin() + row * length,
                 numbers.begin() + (row + 1) * length);
  return taken;
}

std::vector<double> RowSample::numbersOf(const Tensor &tensor) const {
  if (isAll() || isBlockFormat(tensor.element()))
    return numbersOf(tensor.numbers(), tensor.shape());
  int64_t length = tensor.shape().empty() ? 1 : tensor.shape().back();
  std::vector<int64_t> rows = rowsOf(tensor.shape());
  std::vector<double> numbers(rows.size() * length);
  for (size_t i = 0; i < rows.size(); ++i)
    loadNumbers(tensor.data(), tensor.element(), rows[i] * length, 1,
                numbers.data() + i * length, length);
  return numbers;
}

} // namespace ring::rt
