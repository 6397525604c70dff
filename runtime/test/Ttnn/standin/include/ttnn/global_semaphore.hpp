// SPDX-License-Identifier: Apache-2.0
//
// Semaphores, under ttnn's names.

#pragma once

#include "ttnn/types.hpp"

namespace ttnn::global_semaphore {

GlobalSemaphore
create_global_semaphore(MeshDevice *mesh_device, const CoreRangeSet &cores,
                        uint32_t initial_value,
                        BufferType buffer_type = BufferType::L1);

void reset_global_semaphore_value(const GlobalSemaphore &global_semaphore,
                                  uint32_t reset_value);

} // namespace ttnn::global_semaphore
