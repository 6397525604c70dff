// SPDX-License-Identifier: Apache-2.0
// One place that knows every dialect and pass of the project and the standard
// ones that model IR uses; each tool registers through here.

#ifndef RING_INITALL_H
#define RING_INITALL_H

namespace mlir {
class DialectRegistry;

namespace ring {

/// The ring dialect and the TT dialects it meets.
void registerRingDialects(DialectRegistry &registry);

/// The standard dialects that model IR around an attention is made of.
void registerModelDialects(DialectRegistry &registry);

/// All passes and pipelines of the project.
void registerRingPasses();

} // namespace ring
} // namespace mlir

#endif // RING_INITALL_H
