// SPDX-License-Identifier: Apache-2.0
//
// Tensors on the host: what programs are given and what they give back.

#ifndef RING_RUNTIME_TENSOR_H
#define RING_RUNTIME_TENSOR_H

#include "ring-runtime/Status.h"
#include "ring-runtime/Types.h"

#include <memory>
#include <string>
#include <vector>

namespace ring::rt {

/// Numbers in row-major order, or in tiles where they are of a block format
/// (see `heldBytes`). Copies share the memory.
class Tensor {
public:
  Tensor() = default;

  /// A tensor of zeros. Fails where there is no memory.
  static Result<Tensor> zeros(ElementType element, Shape shape);
  /// A tensor of these numbers, rounded to the type.
  static Result<Tensor> fromNumbers(ElementType element, Shape shape,
                                    const double *numbers);
  static Result<Tensor> fromNumbers(ElementType element, Shape shape,
                                    const std::vector<double> &numbers);
  /// A copy of memory that is held as the type says.
  static Result<Tensor> copyOf(ElementType element, Shape shape,
                               const void *data);
  /// Shares memory that somebody else made.
  static Tensor share(ElementType element, Shape shape,
                      std::shared_ptr<uint8_t> data);

  ElementType element() const { return type; }
  const Shape &shape() const { return sizes; }
  int64_t count() const { return elementCount(sizes); }
  int64_t bytes() const;
  const uint8_t *data() const { return memory.get(); }
  uint8_t *data() { return memory.get(); }
  const std::shared_ptr<uint8_t> &shared() const { return memory; }

  /// All numbers.
  std::vector<double> numbers() const;

private:
  ElementType type = ElementType::F32;
  Shape sizes;
  std::shared_ptr<uint8_t> memory;
};

/// Reads a NumPy file: f2, f4, f8, i4, i8, u1, u2, u4 or b1, in C or Fortran
/// order. What it holds is converted to `element`; u2 is taken as the bits of
/// bf16 where bf16 or a block format is asked for.
Result<Tensor> readNpy(const std::string &path, ElementType element);

/// Writes a NumPy file. bf16 and the block formats are written as f4, the rest
/// as they are.
Status writeNpy(const std::string &path, const Tensor &tensor);

/// How generated inputs are distributed.
enum class Distribution {
  Normal,  ///< N(0, 1)
  Outliers ///< N(0, 1), and once in a thousand N(0, 10) on top
};

/// Numbers that depend on (seed, stream, index) alone. Integers are uniform
/// from 0 to limit - 1; if they are distinct, one comes again only after all
/// others.
Result<Tensor> generate(ElementType element, Shape shape, uint64_t seed,
                        uint64_t stream, Distribution distribution,
                        int64_t limit, bool distinct = false);

} // namespace ring::rt

#endif // RING_RUNTIME_TENSOR_H
