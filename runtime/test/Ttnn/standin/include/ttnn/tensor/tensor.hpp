// SPDX-License-Identifier: Apache-2.0
//
// A tensor, on the host or on all devices of a mesh.

#pragma once

#include "ttnn/common/queue_id.hpp"
#include "ttnn/tensor/types.hpp"
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt_stl/optional_reference.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace ttnn {

/// Ours: the numbers, and where they are.
class TensorAttributes;

class Tensor {
public:
  std::shared_ptr<TensorAttributes> tensor_attributes = nullptr;

  [[nodiscard]] explicit Tensor() = default;
  [[nodiscard]] Tensor(const Tensor &other) = default;
  [[nodiscard]] Tensor(Tensor &&other) noexcept = default;
  Tensor &operator=(const Tensor &other) = default;
  Tensor &operator=(Tensor &&other) noexcept;
  ~Tensor();

  template <typename T>
  [[nodiscard]] static Tensor
  from_vector(const std::vector<T> &buffer,
              const tt::tt_metal::TensorSpec &spec,
              tt::tt_metal::distributed::MeshDevice *device = nullptr,
              std::optional<QueueId> cq_id = std::nullopt, T pad_value = 0);
  template <typename T>
  [[nodiscard]] static Tensor
  from_vector(std::vector<T> &&buffer, const tt::tt_metal::TensorSpec &spec,
              tt::tt_metal::distributed::MeshDevice *device = nullptr,
              std::optional<QueueId> cq_id = std::nullopt, T pad_value = 0);
  template <typename T>
  [[nodiscard]] std::vector<T>
  to_vector(std::optional<QueueId> cq_id = std::nullopt) const;

  [[nodiscard]] Tensor to_device(
      tt::tt_metal::distributed::MeshDevice *mesh_device,
      ttsl::optional_reference<const tt::tt_metal::MemoryConfig> mem_config =
          std::nullopt,
      std::optional<QueueId> cq_id = std::nullopt) const;
  [[nodiscard]] Tensor to_layout(tt::tt_metal::Layout target_layout) const;
  [[nodiscard]] Tensor cpu(bool blocking = true,
                           std::optional<QueueId> cq_id = std::nullopt) const;
  void deallocate(bool force = false);

  tt::tt_metal::DataType dtype() const;
  tt::tt_metal::Layout layout() const;
  const tt::tt_metal::Shape &logical_shape() const;
  const tt::tt_metal::Shape &padded_shape() const;
  const tt::tt_metal::TensorSpec &tensor_spec() const;
  const tt::tt_metal::MemoryConfig &memory_config() const;
  StorageType storage_type() const;
  bool is_allocated() const;
  tt::tt_metal::distributed::MeshDevice *device() const;
};

} // namespace ttnn
