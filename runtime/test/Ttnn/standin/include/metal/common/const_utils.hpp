// SPDX-License-Identifier: Apache-2.0
//
// Masks of tt-train's attention.

#pragma once

namespace ttml::metal {

enum class AttentionMaskType { None, Causal, Arbitrary };

} // namespace ttml::metal
