// SPDX-License-Identifier: Apache-2.0
//
// Inputs from a counter: number i of a stream depends on nothing but the seed,
// the stream and i, so shards can be made anywhere and in any order.

#include "Data/Numbers.h"
#include "ring-runtime/Tensor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

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
  uint64_t range = limit > 0 ? static_cast<uint64_t>(limit) : 2;
  if (element == ElementType::Bool)
    range = 2;
  if (distinct && !isFloat(element) && element != ElementType::Bool) {
    std::vector<int64_t> order = shuffled(range, seed, stream);
    std::vector<double> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<double>(order[static_cast<uint64_t>(i) % range]);
    return Tensor::fromNumbers(element, std::move(shape), numbers);
  }
  constexpr double kOutlierShare = 0.001, kOutlierScale = 10;
  auto draw = [&](int64_t i) {
    Draws draws(seed, stream, static_cast<uint64_t>(i));
    if (!isFloat(element))
      return static_cast<double>(draws.bits() % range);
    double number = draws.normal();
    if (distribution == Distribution::Outliers &&
        draws.uniform() <= kOutlierShare)
      number += kOutlierScale * draws.normal();
    return number;
  };
  if (isBlockFormat(element)) {
    std::vector<double> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = draw(i);
    return Tensor::fromNumbers(element, std::move(shape), numbers);
  }
  // Piece by piece: a tensor in f64 would take four times the memory of one in
  // bf16. Numbers depend on their places alone, so threads may share the work.
  Result<Tensor> tensor = Tensor::zeros(element, std::move(shape));
  if (!tensor)
    return tensor;
  constexpr int64_t kPiece = int64_t(1) << 18;
  std::atomic<int64_t> next{0};
  auto fill = [&] {
    std::vector<double> numbers(std::min(count, kPiece));
    for (int64_t begin; (begin = next.fetch_add(kPiece)) < count;) {
      int64_t size = std::min(kPiece, count - begin);
      for (int64_t i = 0; i < size; ++i)
        numbers[i] = draw(begin + i);
      storeNumbers(tensor->data(), element, begin, numbers.data(), size);
    }
  };
  int64_t helpers = std::min<int64_t>(std::thread::hardware_concurrency(),
                                      (count + kPiece - 1) / kPiece) -
                    1;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < helpers; ++i)
    threads.emplace_back(fill);
  fill();
  for (std::thread &thread : threads)
    thread.join();
  return tensor;
}

} // namespace ring::rt
