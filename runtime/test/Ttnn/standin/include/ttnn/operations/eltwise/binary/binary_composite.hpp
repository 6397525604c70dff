// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops of two tensors that others are put together from.

#pragma once

#include "ttnn/operations/eltwise/binary/binary.hpp"
#include "ttnn/operations/eltwise/unary/unary.hpp"

namespace ttnn {

Tensor pow(const Tensor &input, int32_t exponent,
           standin::Memory output_mem_config = std::nullopt,
           standin::MaybeTensor output_tensor = std::nullopt);
Tensor pow(const Tensor &input_a, float exponent,
           standin::Memory output_mem_config = std::nullopt,
           standin::MaybeTensor output_tensor = std::nullopt);
Tensor pow(float input_a, const Tensor &exponent,
           standin::ConstTypeRef dtype = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Activations post_activations = {},
           standin::Activations lhs_activations = {},
           standin::Activations rhs_activations = {});
Tensor pow(const Tensor &input, const Tensor &exponent,
           standin::ConstTypeRef dtype = std::nullopt,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Activations post_activations = {},
           standin::Activations lhs_activations = {},
           standin::Activations rhs_activations = {});

Tensor maximum(const Tensor &input_tensor_a, const Tensor &input_tensor_b,
               standin::ConstTypeRef output_dtype = std::nullopt,
               standin::Memory memory_config = std::nullopt,
               standin::MaybeTensor optional_output_tensor = std::nullopt,
               standin::Activations post_activations = {},
               standin::Activations lhs_activations = {},
               standin::Activations rhs_activations = {});
Tensor maximum(const Tensor &input_a, operations::unary::ScalarVariant value,
               standin::ConstTypeRef output_dtype = std::nullopt,
               standin::Memory memory_config = std::nullopt,
               standin::MaybeTensor optional_output_tensor = std::nullopt,
               standin::Activations post_activations = {},
               standin::Activations lhs_activations = {},
               standin::Activations rhs_activations = {});
Tensor minimum(const Tensor &input_tensor_a, const Tensor &input_tensor_b,
               standin::ConstTypeRef output_dtype = std::nullopt,
               standin::Memory memory_config = std::nullopt,
               standin::MaybeTensor optional_output_tensor = std::nullopt,
               standin::Activations post_activations = {},
               standin::Activations lhs_activations = {},
               standin::Activations rhs_activations = {});
Tensor minimum(const Tensor &input_a, operations::unary::ScalarVariant value,
               standin::ConstTypeRef output_dtype = std::nullopt,
               standin::Memory memory_config = std::nullopt,
               standin::MaybeTensor optional_output_tensor = std::nullopt,
               standin::Activations post_activations = {},
               standin::Activations lhs_activations = {},
               standin::Activations rhs_activations = {});

} // namespace ttnn
