// SPDX-License-Identifier: Apache-2.0
//
// The second opinion: every op once more, in f64 and in the plainest loops,
// from its definition and not from the kernels. Devices run one after the
// other, so there is nothing to get wrong about time.

#ifndef RING_RUNTIME_REFERENCE_REFERENCE_H
#define RING_RUNTIME_REFERENCE_REFERENCE_H

#include "Ops/OpTypes.h"

#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace ring::rt::reference {

/// The larger of two numbers; NaN where one of them is, unlike std::fmax: a row
/// that cannot be computed must not look like one that attends to nothing.
inline double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

/// The numbers of a value, row-major. A state is its output, then its maxima,
/// then its sums.
using Numbers = std::vector<double>;

/// All values of one device, or of the host.
using Values = std::vector<Numbers>;

/// One op on one device.
class Call {
public:
  Call(const OpTypes &types, int64_t device, std::vector<Values> &streams)
      : types(types), device(device), streams(streams) {}

  const Numbers &input(size_t i) const { return peer(device, i); }
  const Shape &inputShape(size_t i) const { return types.input(i)->shape; }
  const Shape &outputShape(size_t i) const { return types.output(i)->shape; }
  bool hasInput(size_t i) const { return types.input(i) != nullptr; }
  bool hasOutput(size_t i) const { return types.output(i) != nullptr; }
  /// Operand `i` of another device; the number of devices is the host.
  const Numbers &peer(int64_t source, size_t i) const {
    return streams[source][types.inputValue(i)];
  }

  const OpTypes types;
  const int64_t device;
  std::vector<Numbers> outputs; ///< of the right sizes
  /// The rows of result 0 that are asked for, which has room for them alone;
  /// null for all. Only ops that go by `forEachRow` are asked so.
  const std::vector<int64_t> *rows = nullptr;

private:
  std::vector<Values> &streams;
};

using Function = std::function<Status(Call &)>;
using Table = std::map<std::string, Function>;

/// The function of an op, or nullptr.
const Function *find(const std::string &name);

void addElementwise(Table &table);
void addReshaping(Table &table);
void addRows(Table &table);
void addProducts(Table &table);
void addAttention(Table &table);
void addRingBlocks(Table &table);
void addExchange(Table &table);
void addFusedRing(Table &table);

/// Walks all indices of a shape, last dimension fastest.
template <typename Visit>
void forEachIndex(const Shape &shape, Visit visit) {
  Shape index(shape.size(), 0);
  int64_t count = elementCount(shape);
  for (int64_t flat = 0; flat < count; ++flat) {
    visit(index, flat);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// Walks the rows of result 0 that are asked for, by batch entry, head and
/// position in `shape`; `visit` gets the number of the row, and that among
/// those asked for.
template <typename Visit>
void forEachRow(const Call &call, const Shape &shape, Visit visit) {
  if (!call.rows)
    return forEachIndex(
        shape, [&](const Shape &at, int64_t flat) { visit(at, flat, flat); });
  for (size_t i = 0; i < call.rows->size(); ++i) {
    int64_t flat = (*call.rows)[i];
    Shape at = {flat / shape[2] / shape[1], flat / shape[2] % shape[1],
                flat % shape[2]};
    visit(at, flat, static_cast<int64_t>(i));
  }
}

/// The place of an index in a tensor.
inline int64_t flatten(const Shape &shape, const Shape &index) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    flat = flat * shape[d] + index[d];
  return flat;
}

/// The place that an index of a larger shape has in one broadcast to it.
inline int64_t broadcastPlace(const Shape &shape, const Shape &index) {
  int64_t flat = 0;
  size_t lead = index.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d)
    flat = flat * shape[d] + (shape[d] == 1 ? 0 : index[lead + d]);
  return flat;
}

} // namespace ring::rt::reference

#endif // RING_RUNTIME_REFERENCE_REFERENCE_H
