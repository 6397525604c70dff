// SPDX-License-Identifier: Apache-2.0
//
// Another element type, on the host.

#pragma once

#include "ttnn/types.hpp"

namespace ttnn {

Tensor to_dtype(const Tensor &input_tensor, const DataType &dtype);

} // namespace ttnn
