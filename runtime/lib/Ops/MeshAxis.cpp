// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on device numbers.

#include "Ops/MeshAxis.h"

namespace ring::rt {

Result<MeshAxis> MeshAxis::get(const Shape &mesh, int64_t index, int64_t size,
                               int64_t stride) {
  if (index < 0 || index >= static_cast<int64_t>(mesh.size()))
    return error("expects an axis of the mesh ", describe(mesh), ", but got ",
                 index);
  int64_t extent = mesh[index];
  if (size == 0)
    size = extent;
  if (size < 1 || stride < 1 || size > extent || stride > extent ||
      extent % (size * stride) != 0)
    return error("expects size * stride to divide the axis of ", extent,
                 ", but got ", size, " * ", stride);
  // Devices are numbered row-major: going up by one on this axis passes over
  // all devices of the axes behind it.
  MeshAxis axis;
  axis.size = size;
  axis.step = stride;
  for (size_t i = index + 1; i < mesh.size(); ++i)
    axis.step *= mesh[i];
  return axis;
}

MeshAxis MeshAxis::all(const Shape &mesh) {
  MeshAxis axis;
  axis.size = elementCount(mesh);
  return axis;
}

int64_t MeshAxis::neighbour(int64_t device, int64_t offset) const {
  int64_t rank = (rankOf(device) + offset % size + size) % size;
  return member(device, rank);
}

Shape coordinatesOf(const Shape &mesh, int64_t device) {
  Shape coordinates(mesh.size());
  for (size_t i = mesh.size(); i-- > 0;) {
    coordinates[i] = device % mesh[i];
    device /= mesh[i];
  }
  return coordinates;
}

} // namespace ring::rt
