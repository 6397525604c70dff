// SPDX-License-Identifier: Apache-2.0
//
// Splitting a tensor over a mesh, and putting it together.

#pragma once

#include "ttnn/distributed/types.hpp"
#include "ttnn/tensor/tensor.hpp"
#include <tt-metalium/experimental/distributed_tensor/topology/distributed_tensor_configs.hpp>

#include <functional>
#include <memory>

namespace ttnn::distributed {

using MeshMapperConfig = tt::tt_metal::distributed::MeshMapperConfig;
using MeshComposerConfig = tt::tt_metal::distributed::MeshComposerConfig;

class TensorToMesh {
public:
  ~TensorToMesh();
  TensorToMesh(TensorToMesh &&other) noexcept;
  TensorToMesh &operator=(TensorToMesh &&other) noexcept;
  static TensorToMesh create(const MeshDevice &mesh_device,
                             const MeshMapperConfig &config);
  static TensorToMesh create(const MeshShape &mesh_shape,
                             const MeshMapperConfig &config);
  Tensor operator()(const Tensor &tensor) const;

private:
  class Impl;
  explicit TensorToMesh(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

std::unique_ptr<TensorToMesh>
create_mesh_mapper(MeshDevice &mesh_device, const MeshMapperConfig &config);
std::unique_ptr<TensorToMesh>
create_mesh_mapper(const MeshShape &mesh_shape, const MeshMapperConfig &config);
std::unique_ptr<TensorToMesh>
replicate_tensor_to_mesh_mapper(MeshDevice &mesh_device);
std::unique_ptr<TensorToMesh>
shard_tensor_to_mesh_mapper(MeshDevice &mesh_device, int dim,
                            std::optional<int> cluster_axis = std::nullopt);

class MeshToTensor {
public:
  ~MeshToTensor();
  MeshToTensor(MeshToTensor &&other) noexcept;
  MeshToTensor &operator=(MeshToTensor &&other) noexcept;
  static MeshToTensor create(const MeshDevice &mesh_device,
                             const MeshComposerConfig &config);
  Tensor compose(const Tensor &tensor) const;

private:
  class Impl;
  explicit MeshToTensor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

std::unique_ptr<MeshToTensor>
create_mesh_composer(MeshDevice &mesh_device, const MeshComposerConfig &config);
std::unique_ptr<MeshToTensor>
concat_mesh_to_tensor_composer(MeshDevice &mesh_device, int dim);

Tensor distribute_tensor(const Tensor &tensor, const TensorToMesh &mapper,
                         std::optional<std::reference_wrapper<MeshDevice>>
                             mesh_device = std::nullopt,
                         std::optional<ttnn::QueueId> cq_id = std::nullopt);
Tensor aggregate_tensor(const Tensor &tensor, const MeshToTensor &composer);

} // namespace ttnn::distributed
