// SPDX-License-Identifier: Apache-2.0
// From IR to a program of the runtime: TTIR, every ring stage and TTNN become
// the same instructions, so that what any pass leaves can be executed.

#ifndef RING_TARGET_PROGRAM_H
#define RING_TARGET_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ring-runtime/LaunchDescription.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <cstdint>
#include <vector>

namespace mlir::ring {

/// The function of `module` that runs: the one named `function`, or the only
/// public one when the name is empty; an error where that is not one.
FailureOr<func::FuncOp> findFunctionToRun(ModuleOp module, StringRef function);

/// Translates the function of `module` that runs. An op that has no translation
/// is an error at its location. Gives the bytes of a program file that the
/// runtime has verified. With `fusedOps` composites of the device ops that know
/// a ring stay one instruction each; otherwise their decomposition is written.
/// Inputs are called arg0, arg1, ..., unless there is a name for each of them.
FailureOr<std::vector<uint8_t>>
translateToProgram(ModuleOp module, StringRef function = "",
                   bool fusedOps = false,
                   ArrayRef<std::string> inputNames = {});

/// What a launch asks of the kernels: its schedule, sizes and options, by the
/// words in which a program file says them too. What kernels cannot do is an
/// error at its location.
FailureOr<::ring::rt::LaunchDescription> describeLaunch(LaunchOp launch);

/// Registers `--mlir-to-program` with ring-translate.
void registerToProgramTranslation();

} // namespace mlir::ring

#endif // RING_TARGET_PROGRAM_H
