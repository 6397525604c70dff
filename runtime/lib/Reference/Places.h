// SPDX-License-Identifier: Apache-2.0
//
// Who stands where and holds which positions, one device and one row at a time,
// from the definitions in docs/ProgramFormat.md: a mistake in ring/Positions,
// which everybody else uses, is one that this does not share.

#ifndef RING_RUNTIME_REFERENCE_PLACES_H
#define RING_RUNTIME_REFERENCE_PLACES_H

#include "Reference/Reference.h"

namespace ring::rt::reference {

/// The coordinates of a device in a mesh.
Shape coordinatesOf(const Shape &mesh, int64_t device);

/// A ring of devices on an axis.
struct Ring {
  Shape mesh;
  size_t axis;
  int64_t ranks, stride;

  /// By the attributes of an instruction.
  static Ring of(const Call &call);
  /// All devices, one behind the other.
  static Ring all(const Call &call);

  int64_t rankOf(int64_t device) const;
  int64_t member(int64_t device, int64_t rank) const;
  int64_t neighbour(int64_t device, int64_t offset) const;
};

/// The positions of a rank's rows by a layout: kind, length, ranks, offset.
std::vector<int64_t> positionsOf(const std::vector<int64_t> &layout,
                                 int64_t rank);

/// The positions of the rows of a block on the call's device.
struct BlockRows {
  std::vector<int64_t> queries, keys;
};
BlockRows blockRows(const Call &call, size_t query, size_t key);

/// The keys that a query sees by position: `before` back and `after` ahead; -1
/// leaves a side open.
struct Sight {
  int64_t before = -1, after = -1;

  static Sight of(const Call &call) {
    return {call.types.intOr("before", -1), call.types.intOr("after", -1)};
  }
  bool sees(int64_t query, int64_t key) const {
    return (before < 0 || query - key <= before) &&
           (after < 0 || key - query <= after);
  }
};

/// first, first + 1, ...
std::vector<int64_t> countUp(int64_t count, int64_t first = 0);

} // namespace ring::rt::reference

#endif // RING_RUNTIME_REFERENCE_PLACES_H
