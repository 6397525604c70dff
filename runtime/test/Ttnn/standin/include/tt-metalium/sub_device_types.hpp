// SPDX-License-Identifier: Apache-2.0
//
// Names of parts of a device.

#pragma once

#include <tt_stl/strong_type.hpp>

#include <cstdint>

namespace tt::tt_metal {

using SubDeviceId = ttsl::StrongType<uint8_t, struct SubDeviceIdTag>;

} // namespace tt::tt_metal
