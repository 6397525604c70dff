// SPDX-License-Identifier: Apache-2.0
//
// Meshes, and places in them.

#pragma once

#include <tt-metalium/shape_base.hpp>

namespace tt::tt_metal::distributed {

class MeshShape : public ShapeBase {
public:
  using ShapeBase::operator[];
  explicit MeshShape(uint32_t s);
  MeshShape(uint32_t s0, uint32_t s1);
  MeshShape(uint32_t s0, uint32_t s1, uint32_t s2);
  explicit MeshShape(const ttsl::SmallVector<uint32_t> &shape);

  size_t dims() const;
  size_t mesh_size() const;
  friend bool operator==(const MeshShape &lhs, const MeshShape &rhs);
};

class MeshCoordinate {
public:
  explicit MeshCoordinate(uint32_t c);
  MeshCoordinate(uint32_t c0, uint32_t c1);
  MeshCoordinate(uint32_t c0, uint32_t c1, uint32_t c2);
  explicit MeshCoordinate(ttsl::Span<const uint32_t> coords);
  static MeshCoordinate zero_coordinate(size_t dimensions);

  size_t dims() const;
  uint32_t operator[](int32_t dim) const;
  size_t to_linear_index(const MeshShape &shape) const;

private:
  ttsl::SmallVector<uint32_t> value_;
};

} // namespace tt::tt_metal::distributed
