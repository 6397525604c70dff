// SPDX-License-Identifier: Apache-2.0
//
// Ops that make and move numbers.

#include "TensorState.h"
#include "ttnn/operations/creation/creation.hpp"
#include "ttnn/operations/data_movement/concat/concat.hpp"
#include "ttnn/operations/data_movement/copy/copy.hpp"
#include "ttnn/operations/data_movement/pad/pad.hpp"
#include "ttnn/operations/data_movement/permute/permute.hpp"
#include "ttnn/operations/data_movement/repeat/repeat.hpp"
#include "ttnn/operations/data_movement/repeat_interleave/repeat_interleave.hpp"
#include "ttnn/operations/data_movement/slice/slice.hpp"
#include "ttnn/operations/embedding/embedding.hpp"

#include <cmath>

using namespace standin;

namespace ttnn {

using standin::ConstType;
using standin::Cores;
using standin::MaybeTensor;
using standin::Memory;
using standin::Stored;
using standin::Type;

/// A tensor whose numbers come from places of another.
static Tensor moved(const Tensor &x, const Sizes &sizes,
                    const std::function<int64_t(const Sizes &)> &from) {
  return eachDevice(x, sizes, x.dtype(), x.layout(), [&](size_t device) {
    Numbers numbers;
    forEach(sizes, [&](const Sizes &index) {
      numbers.push_back(at(x, device)[from(index)]);
    });
    return numbers;
  });
}

// ---- Creation ------------------------------------------------------------

static Tensor filled(const Shape &shape, double value, DataType type,
                     Layout layout, MeshDevice &mesh) {
  Tensor any;
  any.tensor_attributes = std::make_shared<TensorAttributes>(TensorAttributes{
      tt::tt_metal::TensorSpec(shape, {type, layout, MemoryConfig()}),
      {},
      mesh.weak_from_this(),
      true,
      {}});
  return eachDevice(any, sizesOf(any), type, layout,
                    [&](size_t) { return Numbers(shape.volume(), value); });
}

Tensor zeros(const Shape &shape, Type type, Stored layout,
             standin::Device device, Memory) {
  return filled(shape, 0, type.value_or(DataType::BFLOAT16),
                layout.value_or(Layout::ROW_MAJOR), device.value());
}

template <typename FillValueType>
  requires std::is_same_v<FillValueType, int> or
           std::is_same_v<FillValueType, float>
Tensor full(const Shape &shape, FillValueType value, Type type, Stored layout,
            standin::Device device, Memory, MaybeTensor) {
  return filled(shape, static_cast<double>(value),
                type.value_or(DataType::BFLOAT16),
                layout.value_or(Layout::ROW_MAJOR), device.value());
}
template Tensor full<float>(const Shape &, float, Type, Stored, standin::Device,
                            Memory, MaybeTensor);

/// Memory that nobody wrote shows where it is read.
Tensor empty(const Shape &shape, const DataType &type, const Layout &layout,
             MeshDevice *device, const MemoryConfig &memory) {
  expect(memory.is_dram(), "buffers are in DRAM");
  return filled(shape, isInteger(type) ? 12345 : NAN, type, layout, *device);
}

Tensor assign(const Tensor &x, const MemoryConfig &, ConstType type,
              MaybeTensor) {
  return eachDevice(x, sizesOf(x), type.value_or(x.dtype()), x.layout(),
                    [&](size_t device) { return at(x, device); });
}

// ---- Layout and shape ----------------------------------------------------

Tensor to_layout(const Tensor &x, Layout layout, Type, Memory, Cores, float) {
  if (x.layout() == layout)
    return x;
  return eachDevice(x, sizesOf(x), x.dtype(), layout,
                    [&](size_t device) { return at(x, device); });
}

Tensor reshape(const Tensor &x, const Shape &shape, Memory,
               const std::optional<PadValue> &, TileReshapeMapMode, Cores,
               bool) {
  expect(shape.volume() == x.logical_shape().volume(),
         "a reshape keeps the numbers");
  return eachDevice(x, Sizes(shape.begin(), shape.end()), x.dtype(), x.layout(),
                    [&](size_t device) { return at(x, device); });
}

Tensor permute(const Tensor &x, const ttsl::SmallVector<int64_t> &dims, float) {
  Sizes from = sizesOf(x), sizes;
  expect(dims.size() == from.size(), "a permutation names every dimension");
  for (int64_t dim : dims)
    sizes.push_back(from[dim]);
  return moved(x, sizes, [&](const Sizes &index) {
    Sizes source(from.size());
    for (size_t i = 0; i < dims.size(); ++i)
      source[dims[i]] = index[i];
    return place(source, from);
  });
}

Tensor repeat(const Tensor &x, const ttsl::SmallVector<uint32_t> &repeats,
              Memory, const std::string &, MaybeTensor) {
  Sizes from = sizesOf(x), sizes = from;
  expect(repeats.size() == from.size(), "repeats name every dimension");
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] *= repeats[i];
  return moved(x, sizes, [&](Sizes index) {
    for (size_t i = 0; i < index.size(); ++i)
      index[i] %= from[i];
    return place(index, from);
  });
}

Tensor repeat_interleave(const Tensor &x, uint32_t repeats, int32_t dim,
                         Memory) {
  Sizes from = sizesOf(x), sizes = from;
  int64_t along = fromStart(dim, from.size());
  sizes[along] *= repeats;
  return moved(x, sizes, [&](Sizes index) {
    index[along] /= repeats;
    return place(index, from);
  });
}

template <typename T>
Tensor slice(const Tensor &x, ttsl::Span<const T> begins,
             ttsl::Span<const T> ends, ttsl::Span<const T> steps, Memory,
             MaybeTensor, const std::optional<float> &, Cores) {
  Sizes from = sizesOf(x), sizes;
  for (size_t i = 0; i < from.size(); ++i) {
    expect(steps[i] > 0 && begins[i] >= 0 && ends[i] <= from[i],
           "a slice lies within its tensor and goes forward");
    sizes.push_back((ends[i] - begins[i] + steps[i] - 1) / steps[i]);
  }
  return moved(x, sizes, [&](Sizes index) {
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = begins[i] + index[i] * steps[i];
    return place(index, from);
  });
}
template Tensor slice<int>(const Tensor &, ttsl::Span<const int>,
                           ttsl::Span<const int>, ttsl::Span<const int>, Memory,
                           MaybeTensor, const std::optional<float> &, Cores);

Tensor concat(const std::vector<Tensor> &parts, int dim, Memory, MaybeTensor,
              unsigned, Cores) {
  Sizes sizes = sizesOf(parts[0]);
  int64_t along = fromStart(dim, sizes.size());
  sizes[along] = 0;
  for (const Tensor &part : parts) {
    expect(part.dtype() == parts[0].dtype() &&
               part.layout() == parts[0].layout(),
           "parts differ in type or layout");
    sizes[along] += sizesOf(part)[along];
  }
  return eachDevice(
      parts[0], sizes, parts[0].dtype(), parts[0].layout(), [&](size_t device) {
        Numbers numbers;
        forEach(sizes, [&](Sizes index) {
          size_t i = 0;
          for (; index[along] >= sizesOf(parts[i])[along]; ++i)
            index[along] -= sizesOf(parts[i])[along];
          numbers.push_back(
              at(parts[i], device)[place(index, sizesOf(parts[i]))]);
        });
        return numbers;
      });
}

Tensor pad(const Tensor &x,
           const ttsl::SmallVector<std::array<uint32_t, 2>> &padding,
           float value, bool, Memory, Cores) {
  Sizes from = sizesOf(x), sizes = from;
  expect(padding.size() == from.size(), "padding names every dimension");
  for (size_t i = 0; i < sizes.size(); ++i) {
    expect(padding[i][0] == 0 || x.layout() == Layout::ROW_MAJOR,
           "in tiles there is no padding in front");
    sizes[i] += padding[i][0] + padding[i][1];
  }
  return eachDevice(x, sizes, x.dtype(), x.layout(), [&](size_t device) {
    Numbers numbers;
    forEach(sizes, [&](Sizes index) {
      bool inside = true;
      for (size_t i = 0; i < index.size(); ++i) {
        index[i] -= padding[i][0];
        inside &= index[i] >= 0 && index[i] < from[i];
      }
      numbers.push_back(inside ? at(x, device)[place(index, from)] : value);
    });
    return numbers;
  });
}

// ---- Rows of a table -----------------------------------------------------

Tensor embedding(const Tensor &indices, const Tensor &table,
                 const std::optional<int> &, Stored layout,
                 prim::EmbeddingsType, ConstType, Memory, MaybeTensor) {
  expect(indices.dtype() == DataType::UINT32 ||
             indices.dtype() == DataType::BFLOAT16,
         "indices are UINT32 or BFLOAT16");
  expect(indices.layout() == Layout::ROW_MAJOR, "indices are row by row");
  expect(table.dtype() == DataType::BFLOAT16, "a table is BFLOAT16");
  Sizes rows = sizesOf(indices), from = sizesOf(table);
  expect(rows.size() == 2, "indices are a batch of rows");
  int64_t dim = from.back(), count = countOf(from) / dim;
  return eachDevice(table, {rows[0], rows[1], dim}, table.dtype(),
                    layout.value_or(table.layout()), [&](size_t device) {
                      Numbers numbers;
                      for (double row : at(indices, device)) {
                        expect(row < count, "an index is outside its table");
                        auto begin = at(table, device).begin() +
                                     static_cast<int64_t>(row) * dim;
                        numbers.insert(numbers.end(), begin, begin + dim);
                      }
                      return numbers;
                    });
}

} // namespace ttnn
