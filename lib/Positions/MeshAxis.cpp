// SPDX-License-Identifier: Apache-2.0
// Arithmetic on device numbers.

#include "ring/Positions/MeshAxis.h"

namespace ring::positions {

std::optional<std::string> MeshAxis::misfitOf(Span<int64_t> mesh, int64_t index,
                                              int64_t size, int64_t stride) {
  if (index < 0 || index >= mesh.size())
    return "expects an axis of a " + std::to_string(mesh.size()) +
           "-D mesh, but got " + std::to_string(index);
  int64_t extent = mesh[index];
  if (size <= 0 || stride <= 0 || extent % size != 0 ||
      extent / size % stride != 0)
    return "expects size * stride to divide the " + std::to_string(extent) +
           " devices of axis " + std::to_string(index) + ", but got " +
           std::to_string(size) + " * " + std::to_string(stride);
  return std::nullopt;
}

// Devices are numbered row-major: going up by one on an axis passes over all
// devices of the axes behind it.
MeshAxis::MeshAxis(Span<int64_t> mesh, int64_t index, int64_t size,
                   int64_t stride)
    : size(size == 0 ? mesh[index] : size), step(stride) {
  for (int64_t i = index + 1; i < mesh.size(); ++i)
    step *= mesh[i];
}

MeshAxis MeshAxis::all(Span<int64_t> mesh) {
  MeshAxis axis;
  for (int64_t extent : mesh)
    axis.size *= extent;
  return axis;
}

std::vector<int64_t> coordinatesOf(Span<int64_t> mesh, int64_t device) {
  std::vector<int64_t> coordinates(mesh.size());
  for (int64_t i = mesh.size(); i-- > 0;) {
    coordinates[i] = device % mesh[i];
    device /= mesh[i];
  }
  return coordinates;
}

} // namespace ring::positions
