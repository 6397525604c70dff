// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops of one tensor.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/eltwise/unary/common/unary_op_types.hpp"

namespace ttnn::operations::unary {

enum class SigmoidMode {
  FAST_APPROXIMATE,
  ACCURATE_FAST_EXP,
  ACCURATE,
};

/// FAST_LUT approximates by a table; TANH is the formula of that name.
enum class GeluVariant {
  ACCURATE,
  FAST_LUT,
  TANH,
};

} // namespace ttnn::operations::unary

namespace ttnn {

Tensor abs(const Tensor &input_tensor,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor acos(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor asin(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor atan(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor ceil(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor cos(const Tensor &input_tensor,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor cosh(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor erfc(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor exp2(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor expm1(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor floor(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor frac(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor isfinite(const Tensor &input_tensor,
                standin::Memory memory_config = std::nullopt,
                standin::MaybeTensor optional_output_tensor = std::nullopt,
                standin::Cores sub_core_grids = std::nullopt);
Tensor isinf(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor isnan(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor log_sigmoid(const Tensor &input_tensor,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor optional_output_tensor = std::nullopt,
                   standin::Cores sub_core_grids = std::nullopt);
Tensor logical_not(const Tensor &input_tensor,
                   standin::Memory memory_config = std::nullopt,
                   standin::MaybeTensor optional_output_tensor = std::nullopt,
                   standin::Cores sub_core_grids = std::nullopt);
Tensor neg(const Tensor &input_tensor,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor reciprocal(const Tensor &input_tensor,
                  standin::Memory memory_config = std::nullopt,
                  standin::MaybeTensor optional_output_tensor = std::nullopt,
                  standin::Cores sub_core_grids = std::nullopt);
Tensor relu(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor relu6(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor sign(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor silu(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor sin(const Tensor &input_tensor,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor sinh(const Tensor &input_tensor,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor square(const Tensor &input_tensor,
              standin::Memory memory_config = std::nullopt,
              standin::MaybeTensor optional_output_tensor = std::nullopt,
              standin::Cores sub_core_grids = std::nullopt);
Tensor tan(const Tensor &input_tensor,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor trunc(const Tensor &input_tensor,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);

Tensor erf(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor exp(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor log(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
           standin::Memory memory_config = std::nullopt,
           standin::MaybeTensor optional_output_tensor = std::nullopt,
           standin::Cores sub_core_grids = std::nullopt);
Tensor log10(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor log1p(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor log2(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor rsqrt(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
             standin::Memory memory_config = std::nullopt,
             standin::MaybeTensor optional_output_tensor = std::nullopt,
             standin::Cores sub_core_grids = std::nullopt);
Tensor sqrt(const Tensor &input_tensor, bool fast_and_approximate_mode = false,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);

Tensor gelu(const Tensor &input_tensor,
            operations::unary::GeluVariant variant =
                operations::unary::GeluVariant::ACCURATE,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor gelu(const Tensor &input_tensor, bool fast_and_approximate_mode,
            standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            standin::Cores sub_core_grids = std::nullopt);
Tensor bitcast(const Tensor &input_tensor,
               const tt::tt_metal::DataType &output_dtype,
               standin::Memory memory_config = std::nullopt,
               standin::MaybeTensor optional_output_tensor = std::nullopt,
               standin::Cores sub_core_grids = std::nullopt);
Tensor tanh(const Tensor &input, standin::Memory memory_config = std::nullopt,
            standin::MaybeTensor optional_output_tensor = std::nullopt,
            bool approx = false, standin::Cores sub_core_grids = std::nullopt);
Tensor
sigmoid(const Tensor &input,
        int vector_mode = static_cast<int32_t>(operations::unary::VecMode::RC),
        operations::unary::SigmoidMode mode =
            operations::unary::SigmoidMode::ACCURATE,
        standin::Memory memory_config = std::nullopt,
        standin::MaybeTensor optional_output_tensor = std::nullopt,
        standin::Cores sub_core_grids = std::nullopt);

} // namespace ttnn
