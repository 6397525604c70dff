// SPDX-License-Identifier: Apache-2.0
//
// How a product is dealt to cores; the real ones have fields.

#pragma once

#include <variant>

namespace ttnn::operations::matmul {

struct MatmulMultiCoreProgramConfig {};
struct MatmulMultiCoreReuseProgramConfig {};
struct MatmulMultiCoreReuseMultiCastProgramConfig {};
struct MatmulMultiCoreReuseMultiCast1DProgramConfig {};
struct MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig {};
struct MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig {};

using MatmulProgramConfig =
    std::variant<MatmulMultiCoreProgramConfig,
                 MatmulMultiCoreReuseProgramConfig,
                 MatmulMultiCoreReuseMultiCastProgramConfig,
                 MatmulMultiCoreReuseMultiCast1DProgramConfig,
                 MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig,
                 MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig>;

} // namespace ttnn::operations::matmul
