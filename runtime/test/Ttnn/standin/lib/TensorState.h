// SPDX-License-Identifier: Apache-2.0
//
// A tensor of the stand-in: its numbers on every device, or on the host, and
// the ways to read and make one that the ops share.

#pragma once

#include "MeshState.h"
#include "Rules.h"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"

#include <functional>
#include <vector>

namespace ttnn {

class TensorAttributes {
public:
  tt::tt_metal::TensorSpec spec;
  /// Row by row, for each device; one for a tensor of the host.
  std::vector<std::vector<double>> shards;
  std::weak_ptr<MeshDevice> mesh; ///< none on the host
  bool onDevice = false;
  standin::RingResource ring;
};

} // namespace ttnn

namespace standin {

using ttnn::DataType;
using ttnn::Layout;
using ttnn::Tensor;
using Numbers = std::vector<double>;
using Sizes = std::vector<int64_t>;

Sizes sizesOf(const Tensor &tensor);
int64_t countOf(const Sizes &sizes);

/// A dimension counted from 0.
inline int64_t fromStart(int64_t dim, size_t rank) {
  return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
}

bool isInteger(DataType type);

/// Throws unless the tensor is on an open mesh, which it gives.
ttnn::MeshDevice &meshOf(const Tensor &tensor);

/// Throws unless tensors are on one mesh, in tiles.
void expectTiles(const char *op, std::initializer_list<const Tensor *> tensors);

/// A tensor on the mesh of another, rounded to its type.
Tensor made(const Tensor &like, const Sizes &sizes, DataType type,
            Layout layout, std::vector<Numbers> shards);

/// The same, computed for each device.
Tensor eachDevice(const Tensor &like, const Sizes &sizes, DataType type,
                  Layout layout,
                  const std::function<Numbers(size_t device)> &compute);

/// Numbers of a tensor on a device.
inline const Numbers &at(const Tensor &tensor, size_t device) {
  return tensor.tensor_attributes->shards[device];
}

/// Calls `visit` with every index of a shape, in order.
void forEach(const Sizes &sizes,
             const std::function<void(const Sizes &)> &visit);

/// Where an index lies in numbers of that shape; dimensions of 1 are repeated,
/// and missing ones in front.
int64_t place(const Sizes &index, const Sizes &sizes);

/// What the matrix unit sees of a number: LoFi multiplies five bits of it.
double seen(double number, const ttnn::DeviceComputeKernelConfig &config);

} // namespace standin
