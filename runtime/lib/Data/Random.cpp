// SPDX-License-Identifier: Apache-2.0
//
// Inputs from a counter: number i of a stream depends on nothing but the seed,
// the stream and i, so shards can be made anywhere and in any order.

#include "ring-runtime/Tensor.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

namespace {

/// A bijection of 64-bit numbers whose output passes for random (the finaliser
/// of SplitMix64).
uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Independent draws for one number.
class Draws {
public:
  Draws(uint64_t seed, uint64_t stream, uint64_t index)
      : state(mix(mix(seed + kStep) ^ mix(stream * kStep + 1)) +
              index * 8 * kStep) {}

  uint64_t bits() { return mix(state += kStep); }
  /// Uniform in (0, 1].
  double uniform() {
    return (static_cast<double>(bits() >> 11) + 1) * 0x1.0p-53;
  }
  /// Box and Muller's way from two uniform numbers to a normal one.
  double normal() {
    constexpr double kTwoPi = 6.28318530717958647692;
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(kTwoPi * uniform());
  }

private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15ull;
  uint64_t state;
};

/// 0 to count - 1 in an order of chance.
std::vector<int64_t> shuffled(uint64_t count, uint64_t seed, uint64_t stream) {
  std::vector<int64_t> order(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t other = Draws(seed, stream, i).bits() % (i + 1);
    order[i] = order[other];
    order[other] = static_cast<int64_t>(i);
  }
  return order;
}

} // namespace

Result<Tensor> generate(ElementType element, Shape shape, uint64_t seed,
                        uint64_t stream, Distribution distribution,
                        int64_t limit, bool distinct) {
  int64_t count = elementCount(shape);
  std::vector<double> numbers(count);
  uint64_t range = limit > 0 ? static_cast<uint64_t>(limit) : 2;
  if (element == ElementType::Bool)
    range = 2;
  if (distinct && !isFloat(element) && element != ElementType::Bool) {
    std::vector<int64_t> order = shuffled(range, seed, stream);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<double>(order[static_cast<uint64_t>(i) % range]);
    return Tensor::fromNumbers(element, std::move(shape), numbers);
  }
  constexpr double kOutlierShare = 0.001, kOutlierScale = 10;
  for (int64_t i = 0; i < count; ++i) {
    Draws draws(seed, stream, static_cast<uint64_t>(i));
    if (!isFloat(element)) {
      numbers[i] = static_cast<double>(draws.bits() % range);
      continue;
    }
    numbers[i] = draws.normal();
    if (distribution == Distribution::Outliers &&
        draws.uniform() <= kOutlierShare)
      numbers[i] += kOutlierScale * draws.normal();
  }
  return Tensor::fromNumbers(element, std::move(shape), numbers);
}

} // namespace ring::rt
