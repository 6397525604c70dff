// SPDX-License-Identifier: Apache-2.0
// Diagnostics that we say otherwise than MLIR does.

#ifndef RING_COMMANDLINE_OWNWORDS_H
#define RING_COMMANDLINE_OWNWORDS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::ring {

// Both begin with what is said from now on. Everything else goes to whoever was
// there before, and so does what they take to who comes later.

/// Has remarks written to stderr in one line each: where, and what. MLIR shows
/// the source behind every diagnostic, which helps with an error; a remark of
/// an attention would drag a line of several hundred letters along.
void writeRemarksInOneLine(MLIRContext *context);

/// Has the error about an op of a dialect that nobody knows name those that can
/// be read. MLIR's own advises to use an option, which only ring-opt has.
void nameKnownDialects(MLIRContext *context);

} // namespace mlir::ring

#endif // RING_COMMANDLINE_OWNWORDS_H
