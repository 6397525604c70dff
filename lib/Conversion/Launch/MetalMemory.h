// SPDX-License-Identifier: Apache-2.0
// Where things lie on devices whose memory the compiler gives out.

#ifndef RING_LIB_CONVERSION_LAUNCH_METALMEMORY_H
#define RING_LIB_CONVERSION_LAUNCH_METALMEMORY_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

/// Gives out memory, and none back: a program runs once from its start to its
/// end.
class MetalMemory {
public:
  /// Bytes of the L1 of every core, at the same address.
  FailureOr<int64_t> inL1(Operation *op, int64_t bytes) {
    return take(op, "L1 of a core", nextL1, bytes, kL1Bytes);
  }
  /// Bytes in DRAM that go round the banks, row by row.
  FailureOr<int64_t> inDram(Operation *op, int64_t rows, int64_t rowBytes) {
    return take(op, "a bank of DRAM", nextDram,
                llvm::divideCeil(rows, kBanks) * rowBytes, kBankBytes);
  }

private:
  static FailureOr<int64_t> take(Operation *op, const char *what, int64_t &next,
                                 int64_t bytes, int64_t most) {
    int64_t address = next;
    next += llvm::alignTo(bytes, kAlignment);
    if (next > most)
      return op->emitOpError("expects buffers that fit ")
             << what << ", which has " << most << " bytes, but got up to "
             << next;
    return address;
  }

  /// What both memories are addressed by.
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kL1Bytes = 1464 * 1024;
  /// As few banks as any chip has: with more, buffers end earlier.
  static constexpr int64_t kBanks = 8;
  static constexpr int64_t kBankBytes = int64_t{1} << 30;

  /// Behind what firmware and kernels take.
  int64_t nextL1 = 128 * 1024;
  int64_t nextDram = 1024 * 1024;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_LAUNCH_METALMEMORY_H
