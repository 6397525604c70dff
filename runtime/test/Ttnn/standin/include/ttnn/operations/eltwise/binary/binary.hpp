// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops of two tensors, or of a tensor and a number.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/eltwise/unary/common/unary_op_types.hpp"

namespace standin {

using Activations =
    ttsl::Span<const ttnn::operations::unary::EltwiseUnaryWithParam>;

} // namespace standin

namespace ttnn {

Tensor add(const Tensor &lhs, const Tensor &rhs,
           standin::ConstTypeRef output_dtype = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor output = std::nullopt,
           standin::Activations post_activations = {},
           standin::Activations lhs_activations = {},
           standin::Activations rhs_activations = {},
           standin::Cores sub_core_grids = std::nullopt,
           standin::SubDevice sub_device_id = std::nullopt);
Tensor add(const Tensor &lhs, operations::unary::ScalarVariant rhs,
           standin::ConstTypeRef output_dtype = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor output = std::nullopt,
           standin::Activations post_activations = {},
           standin::Activations lhs_activations = {},
           standin::Activations rhs_activations = {},
           standin::Cores sub_core_grids = std::nullopt,
           standin::SubDevice sub_device_id = std::nullopt);
Tensor subtract(const Tensor &lhs, const Tensor &rhs,
                standin::ConstTypeRef output_dtype = std::nullopt,
                standin::Memory memory_config = std::nullopt,
                standin::MaybeTensor output = std::nullopt,
                standin::Activations post_activations = {},
                standin::Activations lhs_activations = {},
                standin::Activations rhs_activations = {},
                standin::Cores sub_core_grids = std::nullopt,
                standin::SubDevice sub_device_id = std::nullopt);
Tensor subtract(const Tensor &lhs, operations::unary::ScalarVariant rhs,
                standin::ConstTypeRef output_dtype = std::nullopt,
                standin::Memory memory_config = std::nullopt,
                standin::MaybeTensor output = std::nullopt,
                standin::Activations post_activations = {},
                standin::Activations lhs_activations = {},
                standin::Activations rhs_activations = {},
                standin::Cores sub_core_grids = std::nullopt,
                standin::SubDevice sub_device_id = std::nullopt);
Tensor eq(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor eq(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor eq(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor ne(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor ne(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor ne(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor ge(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor ge(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor ge(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor gt(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor gt(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor gt(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor le(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor le(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor le(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor lt(const Tensor &lhs, const Tensor &rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor lt(const Tensor &lhs, operations::unary::ScalarVariant rhs,
          standin::ConstTypeRef output_dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt,
          standin::Activations post_activations = {},
          standin::Activations lhs_activations = {},
          standin::Activations rhs_activations = {},
          standin::Cores sub_core_grids = std::nullopt,
          standin::SubDevice sub_device_id = std::nullopt);
Tensor lt(float lhs, const Tensor &rhs,
          standin::ConstTypeRef dtype = std::nullopt,
          standin::Memory memory_config = std::nullopt,
          standin::MaybeTensor output = std::nullopt);
Tensor logical_and(const Tensor &lhs, const Tensor &rhs,
                   standin::ConstTypeRef output_dtype = std::nullopt,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor output = std::nullopt,
                   standin::Activations post_activations = {},
                   standin::Activations lhs_activations = {},
                   standin::Activations rhs_activations = {},
                   standin::Cores sub_core_grids = std::nullopt,
                   standin::SubDevice sub_device_id = std::nullopt);
Tensor logical_and(const Tensor &lhs, operations::unary::ScalarVariant rhs,
                   standin::ConstTypeRef output_dtype = std::nullopt,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor output = std::nullopt,
                   standin::Activations post_activations = {},
                   standin::Activations lhs_activations = {},
                   standin::Activations rhs_activations = {},
                   standin::Cores sub_core_grids = std::nullopt,
                   standin::SubDevice sub_device_id = std::nullopt);
Tensor logical_or(const Tensor &lhs, const Tensor &rhs,
                  standin::ConstTypeRef output_dtype = std::nullopt,
                  standin::Memory memory_config = std::nullopt,
                  standin::MaybeTensor output = std::nullopt,
                  standin::Activations post_activations = {},
                  standin::Activations lhs_activations = {},
                  standin::Activations rhs_activations = {},
                  standin::Cores sub_core_grids = std::nullopt,
                  standin::SubDevice sub_device_id = std::nullopt);
Tensor logical_or(const Tensor &lhs, operations::unary::ScalarVariant rhs,
                  standin::ConstTypeRef output_dtype = std::nullopt,
                  standin::Memory memory_config = std::nullopt,
                  standin::MaybeTensor output = std::nullopt,
                  standin::Activations post_activations = {},
                  standin::Activations lhs_activations = {},
                  standin::Activations rhs_activations = {},
                  standin::Cores sub_core_grids = std::nullopt,
                  standin::SubDevice sub_device_id = std::nullopt);
Tensor logical_xor(const Tensor &lhs, const Tensor &rhs,
                   standin::ConstTypeRef output_dtype = std::nullopt,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor output = std::nullopt,
                   standin::Activations post_activations = {},
                   standin::Activations lhs_activations = {},
                   standin::Activations rhs_activations = {},
                   standin::Cores sub_core_grids = std::nullopt,
                   standin::SubDevice sub_device_id = std::nullopt);
Tensor logical_xor(const Tensor &lhs, operations::unary::ScalarVariant rhs,
                   standin::ConstTypeRef output_dtype = std::nullopt,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor output = std::nullopt,
                   standin::Activations post_activations = {},
                   standin::Activations lhs_activations = {},
                   standin::Activations rhs_activations = {},
                   standin::Cores sub_core_grids = std::nullopt,
                   standin::SubDevice sub_device_id = std::nullopt);
Tensor
divide(const Tensor &lhs, const Tensor &rhs,
       standin::ConstTypeRef output_dtype = std::nullopt,
       standin::Memory memory_config = std::nullopt,
       standin::MaybeTensor output = std::nullopt,
       standin::Activations post_activations = {},
       standin::Activations lhs_activations = {},
       standin::Activations rhs_activations = {},
       const std::optional<bool> &fast_and_approximate_mode = std::nullopt,
       standin::Cores sub_core_grids = std::nullopt,
       standin::SubDevice sub_device_id = std::nullopt);
Tensor
divide(const Tensor &lhs, operations::unary::ScalarVariant rhs,
       standin::ConstTypeRef output_dtype = std::nullopt,
       standin::Memory memory_config = std::nullopt,
       standin::MaybeTensor output = std::nullopt,
       standin::Activations post_activations = {},
       standin::Activations lhs_activations = {},
       standin::Activations rhs_activations = {},
       const std::optional<bool> &fast_and_approximate_mode = std::nullopt,
       standin::Cores sub_core_grids = std::nullopt,
       standin::SubDevice sub_device_id = std::nullopt);
Tensor
multiply(const Tensor &lhs, const Tensor &rhs,
         standin::ConstTypeRef output_dtype = std::nullopt,
         standin::Memory memory_config = std::nullopt,
         standin::MaybeTensor output = std::nullopt,
         standin::Activations post_activations = {},
         standin::Activations lhs_activations = {},
         standin::Activations rhs_activations = {},
         const std::optional<bool> &fast_and_approximate_mode = std::nullopt,
         standin::Cores sub_core_grids = std::nullopt,
         standin::SubDevice sub_device_id = std::nullopt);
Tensor
multiply(const Tensor &lhs, operations::unary::ScalarVariant rhs,
         standin::ConstTypeRef output_dtype = std::nullopt,
         standin::Memory memory_config = std::nullopt,
         standin::MaybeTensor output = std::nullopt,
         standin::Activations post_activations = {},
         standin::Activations lhs_activations = {},
         standin::Activations rhs_activations = {},
         const std::optional<bool> &fast_and_approximate_mode = std::nullopt,
         standin::Cores sub_core_grids = std::nullopt,
         standin::SubDevice sub_device_id = std::nullopt);
Tensor multiply(const Tensor &lhs, const Tensor &rhs,
                bool fast_and_approximate_mode);
Tensor multiply(const Tensor &lhs, operations::unary::ScalarVariant rhs,
                bool fast_and_approximate_mode);

} // namespace ttnn
