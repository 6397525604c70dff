// SPDX-License-Identifier: Apache-2.0
// Whole tensors and what each device has of them.

#ifndef RING_METALIUM_TENSORS_H
#define RING_METALIUM_TENSORS_H

#include "Numpy.h"

#include <cstring>
#include <functional>

namespace ring {

/// A tensor of every device, in the order of the mesh.
using Shards = std::vector<Array>;

/// Places along one dimension of a whole tensor. Those behind its end are
/// padding.
struct Places {
  uint32_t first, count, stride;
};
/// For each device and dimension, where in the whole tensor its numbers are.
struct Sharding {
  std::vector<std::vector<std::vector<Places>>> devices;
};

inline size_t countOf(const std::vector<uint32_t> &shape) {
  size_t count = 1;
  for (uint32_t size : shape)
    count *= size;
  return count;
}

/// The nearest bf16.
inline float rounded(double number) {
  const float narrow = static_cast<float>(number);
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  if ((bits & 0x7f800000) != 0x7f800000)
    bits += 0x7fff + (bits >> 16 & 1);
  bits &= 0xffff0000;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

inline Array rounded(Array array) {
  for (double &number : array.numbers)
    number = rounded(number);
  return array;
}
inline Shards rounded(Shards shards) {
  for (Array &shard : shards)
    shard = rounded(std::move(shard));
  return shards;
}

/// Calls `visit(inWhole, inShard)` for every number of a shard that is no
/// padding; gives the shape of the shard.
inline std::vector<uint32_t>
forNumbers(const std::vector<uint32_t> &whole,
           const std::vector<std::vector<Places>> &dims,
           const std::function<void(size_t, size_t)> &visit) {
  std::vector<std::vector<uint32_t>> places;
  std::vector<uint32_t> shape;
  for (const std::vector<Places> &dim : dims) {
    places.emplace_back();
    for (const Places &range : dim)
      for (uint32_t i = 0; i < range.count; ++i)
        places.back().push_back(range.first + i * range.stride);
    shape.push_back(static_cast<uint32_t>(places.back().size()));
  }
  for (size_t number = 0; number < countOf(shape); ++number) {
    size_t rest = number, stride = 1, from = 0;
    bool padding = false;
    for (size_t dim = shape.size(); dim-- > 0;) {
      const uint32_t place = places[dim][rest % shape[dim]];
      rest /= shape[dim];
      padding |= place >= whole[dim];
      from += place * stride;
      stride *= whole[dim];
    }
    if (!padding)
      visit(from, number);
  }
  return shape;
}

/// What lies at the places of each dimension; padding is 0.
inline Array partOf(const Array &whole,
                    const std::vector<std::vector<Places>> &dims) {
  Array part;
  part.shape = forNumbers(whole.shape, dims, [](size_t, size_t) {});
  part.numbers.resize(countOf(part.shape));
  forNumbers(whole.shape, dims, [&](size_t from, size_t to) {
    part.numbers[to] = whole.numbers[from];
  });
  return part;
}

inline Shards shard(const Array &whole, const Sharding &sharding) {
  Shards shards;
  for (const auto &dims : sharding.devices)
    shards.push_back(partOf(whole, dims));
  return shards;
}

inline Array unshard(const Shards &shards, const Sharding &sharding,
                     const std::vector<uint32_t> &shape) {
  Array whole{shape, std::vector<double>(countOf(shape))};
  for (size_t device = 0; device < shards.size(); ++device)
    forNumbers(shape, sharding.devices[device], [&](size_t to, size_t from) {
      whole.numbers[to] = shards[device].numbers[from];
    });
  return whole;
}

/// The places from `begins` on of a part of that shape.
inline std::vector<std::vector<Places>>
placesOf(const std::vector<uint32_t> &begins,
         const std::vector<uint32_t> &shape) {
  std::vector<std::vector<Places>> dims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    dims.push_back({{begins[dim], shape[dim], 1}});
  return dims;
}

/// A slice, or with a shape that goes beyond the end a tensor padded with 0.
inline Array slice(const Array &from, const std::vector<uint32_t> &begins,
                   const std::vector<uint32_t> &shape) {
  return partOf(from, placesOf(begins, shape));
}
inline Shards slice(const Shards &from, const std::vector<uint32_t> &begins,
                    const std::vector<uint32_t> &shape) {
  Shards slices;
  for (const Array &shard : from)
    slices.push_back(slice(shard, begins, shape));
  return slices;
}

/// Tensors behind each other along a dimension.
inline Array join(const std::vector<Array> &parts, size_t dim) {
  Array all{parts.front().shape, {}};
  all.shape[dim] = 0;
  for (const Array &part : parts)
    all.shape[dim] += part.shape[dim];
  all.numbers.resize(countOf(all.shape));
  std::vector<uint32_t> begins(all.shape.size());
  for (const Array &part : parts) {
    forNumbers(
        all.shape, placesOf(begins, part.shape),
        [&](size_t to, size_t from) { all.numbers[to] = part.numbers[from]; });
    begins[dim] += part.shape[dim];
  }
  return all;
}
inline Shards join(const std::vector<Shards> &parts, size_t dim) {
  Shards joined;
  for (size_t device = 0; device < parts.front().size(); ++device) {
    std::vector<Array> own;
    for (const Shards &part : parts)
      own.push_back(part[device]);
    joined.push_back(join(own, dim));
  }
  return joined;
}

/// A file has the devices of such a tensor as one more dimension in front.
inline Shards apart(const Array &stacked) {
  const std::vector<uint32_t> shape(stacked.shape.begin() + 1,
                                    stacked.shape.end());
  const size_t count = countOf(shape);
  Shards shards;
  for (uint32_t device = 0; device < stacked.shape[0]; ++device) {
    const auto begin =
        stacked.numbers.begin() + static_cast<std::ptrdiff_t>(device * count);
    shards.push_back(
        {shape, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
  }
  return shards;
}
inline Array stacked(const Shards &shards) {
  Array all{shards.front().shape, {}};
  all.shape.insert(all.shape.begin(), static_cast<uint32_t>(shards.size()));
  for (const Array &shard : shards)
    all.numbers.insert(all.numbers.end(), shard.numbers.begin(),
                       shard.numbers.end());
  return all;
}

} // namespace ring

#endif // RING_METALIUM_TENSORS_H
