// SPDX-License-Identifier: Apache-2.0
//
// Kinds of tables.

#pragma once

namespace ttnn::prim {

enum class EmbeddingsType { GENERIC, PADDED, BINARY };

} // namespace ttnn::prim
