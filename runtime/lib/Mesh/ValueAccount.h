// SPDX-License-Identifier: Apache-2.0
//
// The memory of one stream by value: what the program makes it hold, with or
// without data. The executor and the simulator charge by the same rules.

#ifndef RING_RUNTIME_MESH_VALUEACCOUNT_H
#define RING_RUNTIME_MESH_VALUEACCOUNT_H

#include "Mesh/MemoryAccount.h"
#include "Ops/Op.h"

namespace ring::rt {

/// Charges values as a stream goes through a program.
class ValueAccount {
public:
  /// `limit` in bytes; 0 for none.
  ValueAccount(const Program &program, int64_t limit);

  /// Charges a value that is there from now on: an input or a buffer.
  Status charge(int32_t value);
  /// Charges the results of instruction `index`, and notes the scratch that the
  /// CPU's kernels take with so many threads; 0 where no CPU computes. What
  /// arrives in buffers is charged already. `types` are those of the op that
  /// runs, which for a wait is the transfer.
  Status chargeResults(size_t index, const Op &op, const OpTypes &types,
                       bool intoBuffers, int threads);
  /// Releases what nobody reads after instruction `index`.
  void releaseDead(size_t index);
  /// Whether result 0 of instruction `index` takes the place of the operand
  /// that its op names for that: it dies there, has as many elements of the
  /// same type, and is no input of the program, which its caller owns, and
  /// neither keys nor values, which the compiler counts apart.
  bool takesOver(size_t index, const Op &op, const OpTypes &types) const;
  /// Whether nobody reads `value` after instruction `index`.
  bool diesAt(size_t index, int32_t value) const;

  const MemoryAccount &memory() const { return account; }

private:
  const Program &program;
  MemoryAccount account;
  std::vector<int64_t> charges;   ///< by value
  std::vector<bool> isKeyOrValue; ///< by value
  std::vector<bool> isInKeys;     ///< by value
  std::vector<bool> isInput;      ///< by value
};

/// "value %3 tensor<4xf32>".
std::string describeValue(const Program &program, int32_t value);

/// What the CPU's kernels work in with so many threads while an op runs: their
/// own memory, packed keys and queries, and the unpacked form of operands and
/// results of block formats.
int64_t scratchOf(const Op &op, const OpTypes &types, int threads);

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_VALUEACCOUNT_H
