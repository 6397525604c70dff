// SPDX-License-Identifier: Apache-2.0
// A block in the shape that the device's kernels sdpa_fw and sdpa_bw take:
// square, in whole tiles, of bf16, with one dim and a scale of 1 / sqrt(dim).

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_KERNELFIT_H
#define RING_LIB_CONVERSION_RINGTOTTIR_KERNELFIT_H

#include "ConvertedBlock.h"
#include "Patterns.h"

namespace mlir::ring {

class KernelFit {
public:
  /// How `block` fits, or nothing where the kernel cannot take it or more than
  /// half of what it computes would be padding.
  static std::optional<KernelFit> find(const ConvertedBlock &block,
                                       const BlockLowering &lowering,
                                       TTIRBuilder &tensors);

  /// A tensor of the block with zeros around it, in bf16.
  Value padded(Value tensor);
  /// The queries with the scale in them that the kernel does not know.
  Value scaledQuery();
  /// What the kernel's queries are, compared to the block's.
  float queryFactor() const;

  /// One number per query, as the kernel takes and returns it: in the first of
  /// 32 columns.
  Value toIntermediates(Value perQuery);
  Value fromIntermediates(Value intermediates);
  /// The real rows and columns of what the kernel returns.
  Value cut(Value result, int64_t rowCount, int64_t columnCount);

  /// Ones for the pairs that count; there exactly if the type is `arbitrary`.
  Value mask() const { return keptPairs; }
  tt::ttcore::AttentionMaskType maskType() const { return kind; }

private:
  KernelFit(const ConvertedBlock &block, TTIRBuilder &tensors);
  void buildMask(const BlockLowering &lowering);

  const ConvertedBlock &block;
  TTIRBuilder &tensors;
  int64_t rows, dim;
  Value keptPairs;
  tt::ttcore::AttentionMaskType kind = tt::ttcore::AttentionMaskType::Arbitrary;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_KERNELFIT_H
