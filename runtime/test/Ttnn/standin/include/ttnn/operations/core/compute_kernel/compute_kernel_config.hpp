// SPDX-License-Identifier: Apache-2.0
//
// How exactly kernels compute. What is left out is LoFi and approximate.

#pragma once

#include "ttnn/operations/compute_throttle_utils.hpp"
#include <tt-metalium/base_types.hpp>
#include <umd/device/types/arch.hpp>

#include <optional>

namespace ttnn {

struct ComputeKernelConfig {
  tt::tt_metal::MathFidelity math_fidelity = tt::tt_metal::MathFidelity::LoFi;
  bool math_approx_mode = true;
  bool fp32_dest_acc_en = false;
  bool packer_l1_acc = false;
  bool dst_full_sync_en = false;
  ttnn::operations::compute_throttle_utils::ThrottleLevel throttle_level =
      ttnn::operations::compute_throttle_utils::ThrottleLevel::NO_THROTTLE;
};

using DeviceComputeKernelConfig = ComputeKernelConfig;
using WormholeComputeKernelConfig = ComputeKernelConfig;
using BlackholeComputeKernelConfig = ComputeKernelConfig;

DeviceComputeKernelConfig init_device_compute_kernel_config(
    tt::ARCH arch,
    const std::optional<const DeviceComputeKernelConfig> &device_kernel_config,
    tt::tt_metal::MathFidelity default_fidelity =
        tt::tt_metal::MathFidelity::LoFi,
    bool default_approx_mode = true, bool default_fp32_acc = false,
    bool default_l1_acc = false, bool default_dst_full_sync_en = false,
    ttnn::operations::compute_throttle_utils::ThrottleLevel
        default_throttle_level = ttnn::operations::compute_throttle_utils::
            ThrottleLevel::NO_THROTTLE);

} // namespace ttnn
