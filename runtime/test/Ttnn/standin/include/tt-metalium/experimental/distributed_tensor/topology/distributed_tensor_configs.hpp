// SPDX-License-Identifier: Apache-2.0
//
// How a tensor is split over a mesh and put together again.

#pragma once

#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/small_vector.hpp>

#include <optional>
#include <variant>

namespace tt::tt_metal::distributed {

struct MeshMapperConfig {
  struct Replicate {};
  struct Shard {
    int dim = 0;
  };
  using Placement = std::variant<Replicate, Shard>;

  /// One for each mesh axis.
  ttsl::SmallVector<Placement> placements;
  std::optional<MeshShape> mesh_shape_override = std::nullopt;
  MeshCoordinate mesh_offset_override = MeshCoordinate::zero_coordinate(0);
};

struct MeshComposerConfig {
  /// The tensor dimension that each mesh axis is concatenated along.
  ttsl::SmallVector<int> dims;
  std::optional<MeshShape> mesh_shape_override = std::nullopt;
  MeshCoordinate mesh_offset_override = MeshCoordinate::zero_coordinate(0);
};

} // namespace tt::tt_metal::distributed
