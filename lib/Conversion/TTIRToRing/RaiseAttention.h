// SPDX-License-Identifier: Apache-2.0
// An attention of TTIR becomes ring.attention.

#ifndef RING_LIB_CONVERSION_TTIRTORING_RAISEATTENTION_H
#define RING_LIB_CONVERSION_TTIRTORING_RAISEATTENTION_H

#include "SourceAttention.h"

namespace mlir::ring {

/// Replaces an attention whose operands are gathered or traded for heads, or
/// which `parallel`, if it is not null, asks to distribute; says why where it
/// does not.
bool raiseAttention(SourceAttention source, ParallelAttr parallel);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_RAISEATTENTION_H
