// SPDX-License-Identifier: Apache-2.0
//
// The values of machine files: numbers with units, shapes, lists.

#ifndef RING_LIB_MACHINE_MACHINEVALUES_H
#define RING_LIB_MACHINE_MACHINEVALUES_H

#include "ring/Machine/Machine.h"

namespace ring::machine {

/// What a number measures, which says the units that it may have.
enum class Quantity {
  Count,
  Frequency,
  Bytes,
  Bandwidth,
  Time,
  Cycles,
  Share,
  BytesPerCycle,
  Flops,
  Keys
};

// Each of these reads a value and gives what is wrong with it, as "expects ...,
// but got ...", or nothing.

/// A positive number with a unit, as base units: "1.35 GHz" is 1.35e9.
std::string readQuantity(const std::string &text, Quantity kind, double &into);
/// "8x4": one to four sides of 1 to 4096.
std::string readShape(const std::string &text, std::vector<int64_t> &into);
/// "line, ring".
std::string readTopologies(const std::string &text,
                           std::vector<Topology> &into);
/// "ends" or "counterparts".
std::string readWiring(const std::string &text, Wiring &into);
/// "16, 32, 48, 64 cycles": by fidelity, not falling.
std::string readCycles(const std::string &text,
                       std::array<double, kFidelities> &into);
/// "64: 85 %, 128: 90 %": dims ascending.
std::string readShares(const std::string &text, std::vector<ShareAt> &into);

/// Without the blanks at both ends.
std::string trimmed(const std::string &text);

} // namespace ring::machine

#endif // RING_LIB_MACHINE_MACHINEVALUES_H
