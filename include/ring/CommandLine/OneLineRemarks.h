// SPDX-License-Identifier: Apache-2.0
// Remarks in one line each: where, and what. MLIR shows the source behind every
// diagnostic, which helps with an error; a remark of an attention would drag a
// line of several hundred letters along.

#ifndef RING_COMMANDLINE_ONELINEREMARKS_H
#define RING_COMMANDLINE_ONELINEREMARKS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::ring {

/// Has remarks written to stderr so from now on. Everything else goes to
/// whoever was there before, and so do remarks to who comes later.
void writeRemarksInOneLine(MLIRContext *context);

} // namespace mlir::ring

#endif // RING_COMMANDLINE_ONELINEREMARKS_H
