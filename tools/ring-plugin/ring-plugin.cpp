// SPDX-License-Identifier: Apache-2.0
// The dialects and passes as one shared object for another opt tool:
//   mlir-opt-22 --load-dialect-plugin=RingPlugin.so
//   --load-pass-plugin=RingPlugin.so

#include "mlir/Config/mlir-config.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "ring/InitAll.h"
#include "ring/Support/Version.h"

static constexpr const char *kName = "RingPlugin";

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, mlir::ring::kVersion,
          [](mlir::DialectRegistry *registry) {
            mlir::ring::registerRingDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, mlir::ring::kVersion,
          [] { mlir::ring::registerRingPasses(); }};
}
