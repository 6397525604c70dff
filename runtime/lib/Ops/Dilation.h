// SPDX-License-Identifier: Apache-2.0
//
// The attributes of a dilated pattern, and the pattern they make.

#ifndef RING_RUNTIME_OPS_DILATION_H
#define RING_RUNTIME_OPS_DILATION_H

#include "Ops/Op.h"
#include "ring/Positions/Dilation.h"

namespace ring::rt {

using positions::DilatedRows;
using positions::Dilation;

/// The attributes of a dilated pattern.
std::vector<AttributeSpec> dilationAttributes();

/// Whether the instruction has a dilated pattern.
inline bool isDilated(const OpTypes &types) { return types.has("segments"); }

/// The dilated pattern of an instruction, which fits a sequence of `length`
/// rows. Its lists are the program's.
Result<Dilation> dilationOf(const OpTypes &types, int64_t length);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_DILATION_H
