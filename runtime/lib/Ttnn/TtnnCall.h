// SPDX-License-Identifier: Apache-2.0
//
// One instruction on the devices: its operands as tensors of tt-metal, its
// attributes, and the table from op names to calls.

#ifndef RING_RUNTIME_TTNN_TTNNCALL_H
#define RING_RUNTIME_TTNN_TTNNCALL_H

#include "Ops/OpTypes.h"
#include "Ttnn/TtnnConvert.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ring::rt {

class RingRooms;

/// A value of the program on the devices: one tensor of tt-metal stands for the
/// shards of all of them. Nothing for what is on the host.
using DeviceTensor = std::optional<::ttnn::Tensor>;

/// An instruction under way.
class TtnnCall {
public:
  TtnnCall(const OpTypes &types, ::ttnn::MeshDevice &device, RingRooms &rooms,
           std::vector<DeviceTensor> &values)
      : types(types), device(device), rooms(rooms), values(values) {}

  const ::ttnn::Tensor &input(size_t i) const {
    return *values[types.inputValue(i)];
  }
  /// The operand, or nothing if it is absent.
  DeviceTensor optionalInput(size_t i) const {
    return types.input(i) ? values[types.inputValue(i)] : DeviceTensor();
  }
  /// The operand, at least as exact as result 0.
  ::ttnn::Tensor exactInput(size_t i) const {
    return asExactAs(input(i), types.output(0)->element);
  }
  /// Sets a result: in tiles, in the program's type and shape. Fails where the
  /// tensor has other numbers than the program says.
  Status output(size_t i, const ::ttnn::Tensor &tensor);
  bool hasOutput(size_t i) const { return types.outputValue(i) != kAbsent; }

  /// A mesh axis as tt-metal counts it, on a mesh of two axes: `axis`, or the
  /// one given.
  uint32_t clusterAxis() const { return clusterAxis(types.intOr("axis", 0)); }
  uint32_t clusterAxis(int64_t axis) const;
  /// `scale`, if there is one.
  std::optional<float> scale() const;
  /// The number a dimension attribute names, from 0.
  int dim(const char *name, size_t i) const {
    return static_cast<int>(types.dim(name, types.input(i)->shape.size()));
  }
  /// How kernels compute unless a plan says otherwise: exactly, with sums in
  /// f32. What tt-metal takes by itself is coarse in most ops.
  ::ttnn::DeviceComputeKernelConfig exact() const;

  const OpTypes &types;
  ::ttnn::MeshDevice &device;
  RingRooms &rooms;

private:
  std::vector<DeviceTensor> &values;
};

/// How an op runs on devices.
struct TtnnOp {
  /// Says why tt-metal refuses the instruction, or would compute something
  /// else, from types and attributes alone: no device is opened before all
  /// instructions have passed. Empty: nothing to say.
  std::function<Status(const OpTypes &)> check;
  /// The same with the cores of the devices known, before anything runs.
  std::function<Status(const OpTypes &, ::ttnn::CoreCoord grid)> fits;
  std::function<Status(TtnnCall &)> run;

  TtnnOp() = default;
  template <typename Function>
  TtnnOp(Function run) : run(std::move(run)) {}
  template <typename Check, typename Function>
  TtnnOp(Check check, Function run)
      : check(std::move(check)), run(std::move(run)) {}
};

/// All ops that run on devices, by name.
using TtnnTable = std::map<std::string, TtnnOp>;

/// The one table. What is not in it has no call in tt-metal, or none alone.
const TtnnTable &ttnnTable();

/// Fails for a part of a mesh axis, which no collective of tt-metal takes.
Status checkWholeAxis(const OpTypes &types);

// One function per notion, each in its own file.
void addTtnnElementwise(TtnnTable &table);
void addTtnnShape(TtnnTable &table);
void addTtnnProducts(TtnnTable &table);
void addTtnnAttention(TtnnTable &table);
void addTtnnCacheAttention(TtnnTable &table);
void addTtnnFusedRing(TtnnTable &table);
void addTtnnTraining(TtnnTable &table);
void addTtnnCollectives(TtnnTable &table);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNCALL_H
