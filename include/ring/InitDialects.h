// SPDX-License-Identifier: Apache-2.0
// One place that knows every dialect of the project and the standard ones that
// model IR uses, for tools that read IR and run no passes.

#ifndef RING_INITDIALECTS_H
#define RING_INITDIALECTS_H

namespace mlir {
class DialectRegistry;

namespace ring {

/// The ring dialect and the TT dialects it meets.
void registerRingDialects(DialectRegistry &registry);

/// The standard dialects that model IR around an attention is made of.
void registerModelDialects(DialectRegistry &registry);

} // namespace ring
} // namespace mlir

#endif // RING_INITDIALECTS_H
