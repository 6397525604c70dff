// SPDX-License-Identifier: Apache-2.0
//
// Where the whole tensors of a program are while chips run it. A program of the
// CPU mesh has a host that computes; a mesh of chips has one that only hands
// over tensors and takes them back, so that what is computed on whole tensors
// is computed by every chip.

#ifndef RING_RUNTIME_SIM_WHOLETENSORS_H
#define RING_RUNTIME_SIM_WHOLETENSORS_H

#include "Ops/Op.h"

namespace ring::rt {

/// Says of every whole tensor whether all chips have it or the host has. What a
/// chip computes is on the chips, and so is what it is put together from shards
/// for somebody who computes with it. Arguments, constants and what is made of
/// them by moving elements alone are the host's, as are results on their way
/// out.
class WholeTensors {
public:
  explicit WholeTensors(const Program &program);

  bool onChips(int32_t value) const { return areOnChips[value]; }
  /// Whether a tensor is made of constants alone: it is there when the program
  /// starts.
  bool isConstant(int32_t value) const { return constant[value]; }
  /// Bytes that the host sends to the chips and gets from them.
  double bytesIn() const { return sent; }
  double bytesOut() const { return received; }

private:
  void findConstants();
  void findNeeds();
  void place(size_t index);
  void countTraffic(size_t index);
  bool isWhole(int32_t value) const;
  /// Whether an instruction makes other numbers than it reads, and not of
  /// constants alone.
  bool computes(size_t index) const;

  const Program &program;
  std::vector<bool> constant; ///< by value
  /// By value: whether somebody computes with it, or cuts shards out of it.
  std::vector<bool> needed;
  std::vector<bool> areOnChips;
  std::vector<bool> counted; ///< by value: the host has sent it
  double sent = 0, received = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_WHOLETENSORS_H
