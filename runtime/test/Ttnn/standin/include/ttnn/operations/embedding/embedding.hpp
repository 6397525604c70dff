// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/embedding/device/embedding_device_operation_types.hpp"

namespace ttnn {

Tensor
embedding(const Tensor &input_tensor, const Tensor &weight_arg,
          const std::optional<int> &pad_token = std::nullopt,
          standin::Stored layout = std::nullopt,
          prim::EmbeddingsType embeddings_type = prim::EmbeddingsType::GENERIC,
          standin::ConstType dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor optional_output_tensor = std::nullopt);

} // namespace ttnn
