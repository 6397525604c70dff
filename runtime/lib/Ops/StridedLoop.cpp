// SPDX-License-Identifier: Apache-2.0
//
// Strided walks and copies.

#include "Ops/StridedLoop.h"

#include "Data/Numbers.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

Shape denseStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Shape broadcastStrides(const Shape &from, const Shape &to) {
  Shape dense = denseStrides(from);
  Shape strides(to.size(), 0);
  size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1)
      strides[lead + i] = dense[i];
  return strides;
}

StridedLoop::StridedLoop(const Shape &shape, std::vector<Shape> strides) {
  // Join a dimension with the one behind it where every operand goes on
  // without a gap: stride = stride behind * size behind.
  Shape sizes;
  std::vector<Shape> joined(strides.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 1)
      continue;
    bool dense = !sizes.empty();
    for (size_t i = 0; i < strides.size() && dense; ++i)
      dense = joined[i].back() == strides[i][dim] * shape[dim];
    if (dense) {
      sizes.back() *= shape[dim];
      for (size_t i = 0; i < strides.size(); ++i)
        joined[i].back() = strides[i][dim];
      continue;
    }
    sizes.push_back(shape[dim]);
    for (size_t i = 0; i < strides.size(); ++i)
      joined[i].push_back(strides[i][dim]);
  }
  inner.assign(strides.size(), 1);
  if (!sizes.empty()) {
    length = sizes.back();
    sizes.pop_back();
    for (size_t i = 0; i < strides.size(); ++i) {
      inner[i] = joined[i].back();
      joined[i].pop_back();
    }
  }
  outer = std::move(sizes);
  outerStrides = std::move(joined);
  rowCount = elementCount(outer);
}

int64_t StridedLoop::offset(size_t operand, int64_t row) const {
  int64_t offset = 0;
  for (size_t i = outer.size(); i-- > 0;) {
    offset += row % outer[i] * outerStrides[operand][i];
    row /= outer[i];
  }
  return offset;
}

int64_t StridedLoop::grain() const {
  constexpr int64_t kElements = 1 << 15;
  return std::max<int64_t>(1, kElements / std::max<int64_t>(length, 1));
}

Status copyStrided(OpRun &run, const Shape &shape, const uint8_t *from,
                   const StridedSide &source, uint8_t *into,
                   const StridedSide &target) {
  StridedLoop loop(shape, {source.strides, target.strides});
  int64_t size = heldElementBytes(target.element);
  bool raw = source.element == target.element;
  bool dense = raw && loop.innerStride(0) == 1 && loop.innerStride(1) == 1;
  return run.parallelFor(
      loop.rows(), loop.grain(), [&](int64_t begin, int64_t end) {
        constexpr int64_t kChunk = 512;
        double chunk[kChunk];
        for (int64_t row = begin; row < end; ++row) {
          int64_t read = source.offset + loop.offset(0, row);
          int64_t write = target.offset + loop.offset(1, row);
          if (dense) {
            std::memcpy(into + write * size, from + read * size,
                        loop.rowLength() * size);
            continue;
          }
          for (int64_t i = 0; i < loop.rowLength(); i += kChunk) {
            int64_t count = std::min(kChunk, loop.rowLength() - i);
            loadNumbers(from, source.element, read + i * loop.innerStride(0),
                        loop.innerStride(0), chunk, count);
            if (loop.innerStride(1) == 1) {
              storeNumbers(into, target.element, write + i, chunk, count);
              continue;
            }
            for (int64_t j = 0; j < count; ++j)
              storeNumbers(into, target.element,
                           write + (i + j) * loop.innerStride(1), chunk + j, 1);
          }
        }
      });
}

void copyRows(const RowCopy &geometry, const uint8_t *from, int64_t fromRow,
              int64_t fromStep, uint8_t *into, int64_t intoRow,
              int64_t intoStep, int64_t count) {
  int64_t bytes = geometry.rowBytes;
  for (int64_t o = 0; o < geometry.outer; ++o) {
    const uint8_t *read = from + (o * geometry.fromRows + fromRow) * bytes;
    uint8_t *write = into + (o * geometry.intoRows + intoRow) * bytes;
    if (fromStep == 1 && intoStep == 1) {
      std::memcpy(write, read, count * bytes);
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(write + i * intoStep * bytes, read + i * fromStep * bytes,
                  bytes);
  }
}

RowCopy rowCopyAlong(const ValueType &from, const ValueType &into,
                     int64_t dim) {
  RowCopy geometry = {1, heldElementBytes(from.element), from.shape[dim],
                      into.shape[dim]};
  for (int64_t i = 0; i < dim; ++i)
    geometry.outer *= from.shape[i];
  for (size_t i = dim + 1; i < from.shape.size(); ++i)
    geometry.rowBytes *= from.shape[i];
  return geometry;
}

} // namespace ring::rt
