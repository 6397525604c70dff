// SPDX-License-Identifier: Apache-2.0
//
// How a norm is dealt to cores; the real ones have fields.

#pragma once

#include <variant>

namespace ttnn::prim {

struct LayerNormDefaultProgramConfig {};
struct LayerNormShardedMultiCoreProgramConfig {};
using LayerNormProgramConfig =
    std::variant<LayerNormDefaultProgramConfig,
                 LayerNormShardedMultiCoreProgramConfig>;

} // namespace ttnn::prim
