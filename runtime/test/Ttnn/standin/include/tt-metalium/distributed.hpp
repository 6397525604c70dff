// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a mesh.

#pragma once

#include <tt-metalium/mesh_device.hpp>
#include <tt_stl/optional_reference.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal::distributed {

void Synchronize(MeshDevice &device,
                 ttsl::optional_reference<MeshCommandQueue> mesh_cq,
                 ttsl::Span<const SubDeviceId> sub_device_ids = {});

[[deprecated("takes a reference; this form goes away after 9 September 2026")]]
void Synchronize(MeshDevice *device, std::optional<uint8_t> cq_id,
                 ttsl::Span<const SubDeviceId> sub_device_ids = {});

} // namespace tt::tt_metal::distributed
