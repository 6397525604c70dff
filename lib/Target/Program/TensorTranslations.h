// SPDX-License-Identifier: Apache-2.0
// The ops that TTIR and TTNN have in common.

#ifndef RING_LIB_TARGET_PROGRAM_TENSORTRANSLATIONS_H
#define RING_LIB_TARGET_PROGRAM_TENSORTRANSLATIONS_H

#include "OpTranslations.h"

namespace mlir::ring {

/// Registers the ops that have the same name and attributes in `ttir` and
/// `ttnn`.
void addTensorTranslations(OpTranslations &translations, StringRef dialect);

/// Registers the ops that write into caches.
void addCacheTranslations(OpTranslations &translations, StringRef dialect);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PROGRAM_TENSORTRANSLATIONS_H
