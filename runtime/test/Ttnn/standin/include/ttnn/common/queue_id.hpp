// SPDX-License-Identifier: Apache-2.0
//
// Names of command queues.

#pragma once

#include <tt_stl/strong_type.hpp>

#include <cstdint>
#include <optional>

namespace ttnn {

using QueueId = ttsl::StrongType<uint8_t, struct QueueIdTag>;

} // namespace ttnn
