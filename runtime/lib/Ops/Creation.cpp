// SPDX-License-Identifier: Apache-2.0
//
// Ops that make tensors of nothing. Their results are the same on every device,
// so they are made once and shared.

#include "Data/BlockTensor.h"
#include "Data/Numbers.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

/// How the numbers of a constant are stored in the file.
ElementType storedElement(ElementType element) {
  return computedElement(element);
}

/// Storage whose element i is `at(i)`, rounded to the type.
template <typename At>
StorageRef fill(const ValueType &type, At at) {
  StorageRef storage = Storage::allocate(heldBytes(type));
  if (!storage)
    return nullptr;
  int64_t count = elementCount(type.shape);
  if (isBlockFormat(type.element)) {
    std::vector<float> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<float>(at(i));
    BlockTensor blocks(type.element, type.shape);
    blocks.pack(numbers.data(), storage->mutableData(), 0, blocks.strips());
    return storage;
  }
  constexpr int64_t kChunk = 512;
  double numbers[kChunk];
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    int64_t size = std::min(kChunk, count - begin);
    for (int64_t i = 0; i < size; ++i)
      numbers[i] = at(begin + i);
    storeNumbers(storage->mutableData(), type.element, begin, numbers, size);
  }
  return storage;
}

Op creation(const char *name) {
  Op op;
  op.name = name;
  op.signature.inputs = {0, 0};
  op.access.shares = true;
  return op;
}

Status verifyConstant(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const auto &constants = types.program().constants();
  int64_t index = types.intOr("data", -1);
  if (index < 0 || index >= static_cast<int64_t>(constants.size()))
    return error("expects one of ", constants.size(), " constants, but got ",
                 index);
  const ConstantData &constant = constants[index];
  const ValueType &type = *types.output(0);
  int64_t elements = constant.splat ? 1 : elementCount(type.shape);
  int64_t expected = elements * heldElementBytes(storedElement(type.element));
  if (static_cast<int64_t>(constant.size) != expected)
    return error("expects ", expected, " bytes of data, but got ",
                 constant.size);
  return Status::success();
}

Status runConstant(OpRun &run) {
  const ConstantData &constant =
      run.types.program().constants()[run.types.intOr("data", 0)];
  const ValueType &type = *run.types.output(0);
  return run.shareOnce(0, [&]() -> StorageRef {
    bool blocks = storedElement(type.element) != type.element;
    if (!constant.splat && !blocks) {
      StorageRef storage = Storage::allocate(heldBytes(type));
      if (storage)
        std::memcpy(storage->mutableData(), constant.data, constant.size);
      return storage;
    }
    // The file's data may lie at any address.
    std::vector<uint8_t> aligned(constant.data, constant.data + constant.size);
    return fill(type, [&](int64_t i) {
      return loadNumber(aligned.data(), storedElement(type.element),
                        constant.splat ? 0 : i);
    });
  });
}

Status verifyArange(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &shape = types.output(0)->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0)
    return error("expects a dimension of ", describe(shape), ", but got ",
                 types.intOr("dim", 0));
  constexpr int64_t kFar = int64_t(1) << 52;
  int64_t start = types.intOr("start", 0), end = types.intOr("end", 0);
  int64_t step = types.intOr("step", 1);
  if (step == 0 || std::abs(static_cast<double>(start)) > kFar ||
      std::abs(static_cast<double>(end)) > kFar ||
      std::abs(static_cast<double>(step)) > kFar)
    return error(
        "expects a range within 2^52 and a step other than 0, but got ", start,
        " to ", end, " by ", step);
  int64_t span = step > 0 ? end - start : start - end;
  int64_t stride = step > 0 ? step : -step;
  int64_t count = span <= 0 ? 0 : (span + stride - 1) / stride;
  if (count != shape[dim])
    return error("expects dimension ", dim, " to be ", count, ", but got ",
                 shape[dim]);
  return Status::success();
}

Status runArange(OpRun &run) {
  const ValueType &type = *run.types.output(0);
  int64_t dim = run.types.dim("dim", type.shape.size());
  int64_t stride = denseStrides(type.shape)[dim];
  double start = static_cast<double>(run.types.intOr("start", 0));
  double step = static_cast<double>(run.types.intOr("step", 1));
  return run.shareOnce(0, [&] {
    return fill(type, [&](int64_t i) {
      return start + step * static_cast<double>(i / stride % type.shape[dim]);
    });
  });
}

} // namespace

void registerCreationOps(OpTable &table) {
  Op full = creation("full");
  full.signature.attributes = {{"value", AttributeKind::Float, true}};
  full.signature.verify = expectTensors;
  full.run = [](OpRun &run) {
    const ValueType &type = *run.types.output(0);
    double value = run.types.floatOr("value", 0);
    return run.shareOnce(
        0, [&] { return fill(type, [value](int64_t) { return value; }); });
  };
  full.access.pieces = [](const OpRun &run) -> std::optional<TensorPieces> {
    TensorPieces uniform;
    uniform.covers = false;
    uniform.fill = run.types.floatOr("value", 0);
    return uniform;
  };
  table.add(std::move(full));

  Op constant = creation("constant");
  constant.signature.attributes = {{"data", AttributeKind::Int, true}};
  constant.signature.verify = verifyConstant;
  constant.run = runConstant;
  table.add(std::move(constant));

  Op arange = creation("arange");
  arange.signature.attributes = {{"start", AttributeKind::Int, true},
                                 {"end", AttributeKind::Int, true},
                                 {"step", AttributeKind::Int, true},
                                 {"dim", AttributeKind::Int, true}};
  arange.signature.verify = verifyArange;
  arange.run = runArange;
  table.add(std::move(arange));
}

} // namespace ring::rt
