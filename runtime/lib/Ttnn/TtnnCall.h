// SPDX-License-Identifier: Apache-2.0
//
// One instruction on the devices: its operands as tensors of tt-metal, its
// attributes, and the table from op names to calls.

#ifndef RING_RUNTIME_TTNN_TTNNCALL_H
#define RING_RUNTIME_TTNN_TTNNCALL_H

#include "Ops/OpTypes.h"
#include "Ttnn/TtnnHeaders.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ring::rt {

/// A value of the program on the devices: one tensor of tt-metal stands for the
/// shards of all of them. Nothing for what is on the host.
using DeviceTensor = std::optional<::ttnn::Tensor>;

/// tt-metal's name of an element type; nothing for those it has not.
std::optional<::ttnn::DataType> dataTypeOf(ElementType element);

/// An instruction under way.
class TtnnCall {
public:
  TtnnCall(const OpTypes &types, ::ttnn::MeshDevice &device,
           ::ttnn::ccl::Topology topology, std::vector<DeviceTensor> &values)
      : types(types), device(device), topology(topology), values(values) {}

  const ::ttnn::Tensor &input(size_t i) const {
    return *values[types.inputValue(i)];
  }
  /// The operand, or nothing if it is absent.
  DeviceTensor optionalInput(size_t i) const {
    int32_t value = i < types.inputCount() ? types.inputValue(i) : kAbsent;
    return value == kAbsent ? DeviceTensor() : values[value];
  }
  /// Sets a result, converted to the program's type where it has another.
  void output(size_t i, const ::ttnn::Tensor &tensor);
  bool hasOutput(size_t i) const { return types.outputValue(i) != kAbsent; }

  /// The mesh axis as tt-metal counts it, on a mesh of two axes; an error for
  /// a part of an axis, which no call of tt-metal takes.
  Result<uint32_t> clusterAxis() const;
  /// `scale`, if there is one.
  std::optional<float> scale() const;
  /// A shape as tt-metal holds it.
  static ::ttnn::Shape shapeOf(const Shape &shape);
  /// The number a dimension attribute names, from 0.
  int dim(const char *name, size_t i) const {
    return static_cast<int>(types.dim(name, types.input(i)->shape.size()));
  }

  const OpTypes &types;
  ::ttnn::MeshDevice &device;
  const ::ttnn::ccl::Topology topology;

private:
  std::vector<DeviceTensor> &values;
};

/// What runs an op.
using TtnnFunction = std::function<Status(TtnnCall &)>;
/// All ops that run on devices, by name.
using TtnnTable = std::map<std::string, TtnnFunction>;

/// The one table. What is not in it has no call in tt-metal, or none alone.
const TtnnTable &ttnnTable();

// One function per notion, each in its own file.
void addTtnnElementwise(TtnnTable &table);
void addTtnnShape(TtnnTable &table);
void addTtnnProducts(TtnnTable &table);
void addTtnnAttention(TtnnTable &table);
void addTtnnCollectives(TtnnTable &table);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNCALL_H
