// SPDX-License-Identifier: Apache-2.0
// From IR to a program of the runtime: TTIR, every ring stage and TTNN become
// the same instructions, so that what any pass leaves can be executed.

#ifndef RING_TARGET_PROGRAM_H
#define RING_TARGET_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "ring-runtime/LaunchDescription.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <cstdint>
#include <vector>

namespace mlir::ring {

/// Translates one public function of `module`: the one named `function`, or the
/// only one there is when the name is empty. An op that has no translation is
/// an error at its location. Gives the bytes of a program file that the runtime
/// has verified. With `fusedOps` composites of the device ops that know a ring
/// stay one instruction each; otherwise their decomposition is written.
FailureOr<std::vector<uint8_t>> translateToProgram(ModuleOp module,
                                                   StringRef function = "",
                                                   bool fusedOps = false);

/// What a launch asks of the kernels: its schedule, sizes and options, by the
/// words in which a program file says them too. What kernels cannot do is an
/// error at its location.
FailureOr<::ring::rt::LaunchDescription> describeLaunch(LaunchOp launch);

/// Registers `--mlir-to-program` with ring-translate.
void registerToProgramTranslation();

} // namespace mlir::ring

#endif // RING_TARGET_PROGRAM_H
