// SPDX-License-Identifier: Apache-2.0
//
// The device ops for distributed attention by their own schedules, in place of
// the instructions that they were written out as.

#ifndef RING_RUNTIME_SIM_FUSEDATTENTION_H
#define RING_RUNTIME_SIM_FUSEDATTENTION_H

#include "Sim/ProgramTasks.h"

namespace ring::rt {

/// One composite of a program.
class FusedAttention {
public:
  FusedAttention(ProgramTasks &program, const Composite &composite)
      : program(program), composite(composite) {}

  /// Adds the tasks of the device op. False if the composite is none that is
  /// known: its instructions are then simulated as they stand.
  Result<bool> add();

  /// Whether a composite of that name is a device op with a schedule here.
  static bool isKnown(const std::string &name);

  /// Bytes that a device keeps for the gathered keys and values; 0 if the op
  /// has no such buffers.
  static int64_t gatheredBytes(const Program &program,
                               const Composite &composite);

private:
  Result<bool> addRingJoint();
  Result<bool> addRingDistributed();

  const ValueType &input(size_t i) const;
  /// The type of the values, which may be in the keys.
  ValueType valueType() const;
  int64_t parameter(const char *name, int64_t otherwise) const;
  std::string text(const char *name) const;
  /// The call of the machine model for `queries` rows that meet the keys of
  /// `rows` under `band`, and all of `extra` more.
  machine::AttentionCall callFor(int64_t queries, const BlockPositions &rows,
                                 const Band &band, int64_t length,
                                 int64_t extra) const;
  /// Adds the tasks of a timeline over the ranks of `axis`.
  void add(const machine::Timeline &timeline, size_t axis);
  /// Computes a block; the first one fills the cores.
  void addBlock(int64_t device, const machine::AttentionCall &call, bool fills);

  ProgramTasks &program;
  const Composite &composite;
};

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_FUSEDATTENTION_H
