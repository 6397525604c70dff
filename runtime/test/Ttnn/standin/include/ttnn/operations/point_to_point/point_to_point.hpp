// SPDX-License-Identifier: Apache-2.0
//
// One device's shard to another.

#pragma once

#include "standin/Parameters.hpp"
#include "ttnn/operations/ccl/ccl_host_types.hpp"

namespace ttnn {

Tensor point_to_point(
    const Tensor &input_tensor, const MeshCoordinate &receiver_coord,
    const MeshCoordinate &sender_coord,
    ccl::Topology topology = ccl::Topology::Linear,
    standin::MaybeTensor optional_output_tensor = std::nullopt,
    standin::MaybeTensor optional_intermediate_tensor = std::nullopt);

} // namespace ttnn
