// SPDX-License-Identifier: Apache-2.0
//
// Matrix products, reductions and norms. All are told how exactly to compute,
// and products what type to give, which is else that of the first operand.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

using Operand = const ::ttnn::Tensor &;
using Dims = const ttsl::SmallVector<int> &;
using Config = const ::ttnn::DeviceComputeKernelConfig &;
using ::ttnn::DataType;

// ---- Products ------------------------------------------------------------

/// A matrix in a real type.
::ttnn::Tensor matrix(const TtnnCall &call, size_t i) {
  bool integer = isInteger(call.input(i).dtype());
  return integer ? inType(call.input(i), DataType::FLOAT32) : call.input(i);
}

/// tt-metal repeats the second operand over the batch of the first where it
/// has one matrix alone; every other broadcast is written out.
::ttnn::Tensor batched(const TtnnCall &call, size_t i) {
  const OpTypes &types = call.types;
  const Shape &own = types.input(i)->shape;
  bool alone = elementCount(own) == own.back() * own[own.size() - 2];
  if (i == 1 && alone)
    return matrix(call, i);
  const Shape &out = types.output(0)->shape;
  Shape to(out.begin(), out.end() - 2);
  to.insert(to.end(), own.end() - 2, own.end());
  return expanded(matrix(call, i), own, to);
}

/// The product of operands 0 and 1 in a type.
::ttnn::Tensor product(const TtnnCall &call, DataType result) {
  ::ttnn::Tensor a = batched(call, 0), b = batched(call, 1);
  // Blocks and bf16 are taken together as they are; f32 wants company.
  if (widest(a.dtype(), b.dtype()) == DataType::FLOAT32) {
    a = inType(a, DataType::FLOAT32);
    b = inType(b, DataType::FLOAT32);
  }
  return ::ttnn::matmul(a, b, call.types.flag("transpose_a"),
                        call.types.flag("transpose_b"), std::nullopt, result,
                        std::nullopt, std::nullopt, call.exact());
}

Status matmul(TtnnCall &call) {
  DataType result = heldAs(call.types.output(0)->element);
  return call.output(
      0, product(call, isInteger(result) ? DataType::FLOAT32 : result));
}

/// tt-metal's own `linear` rounds before it adds, for some shapes of the bias.
Status linear(TtnnCall &call) {
  DeviceTensor bias = call.optionalInput(2);
  if (!bias)
    return matmul(call);
  return call.output(0, ::ttnn::add(product(call, DataType::FLOAT32),
                                    inType(*bias, DataType::FLOAT32)));
}

// ---- Reductions ----------------------------------------------------------

/// The dimensions of a reduction; all where none are named.
ttsl::SmallVector<int> dimsOf(const OpTypes &types) {
  int rank = static_cast<int>(types.input(0)->shape.size());
  ttsl::SmallVector<int> dims;
  for (int64_t dim : types.ints("dims"))
    dims.push_back(static_cast<int>(dim < 0 ? dim + rank : dim));
  if (!types.has("dims"))
    for (int dim = 0; dim < rank; ++dim)
      dims.push_back(dim);
  return dims;
}

template <typename Function>
TtnnOp reduction(Function function) {
  return [function](TtnnCall &call) {
    return call.output(0, function(call.exactInput(0), dimsOf(call.types),
                                   call.types.flag("keep_dim"), call.exact()));
  };
}

/// A slice of only -inf gives 0, where tt-metal would give NaN: numbers are
/// raised to the lowest that has a difference to itself, and rows of nothing
/// else are emptied.
Status softmax(TtnnCall &call) {
  constexpr float kLowest = -3.3e38f;
  int dim = call.dim("dim", 0);
  ::ttnn::Tensor x = ::ttnn::maximum(call.exactInput(0), kLowest);
  ::ttnn::Tensor largest = ::ttnn::max(x, dim, /*keepdim=*/true);
  ::ttnn::Tensor any = ::ttnn::gt(largest, kLowest);
  ::ttnn::Tensor weights = ::ttnn::softmax(x, dim, std::nullopt, call.exact());
  return call.output(0, ::ttnn::multiply(weights, any));
}

// ---- Norms ---------------------------------------------------------------

/// tt-metal normalises the last dimension.
Status checkNorm(const OpTypes &types) {
  int64_t rank = types.intOr("normalized_rank", 1);
  if (rank != 1)
    return error("expects a norm over the last dimension on devices, but got "
                 "one over ",
                 rank);
  return Status::success();
}

template <typename Function>
TtnnOp norm(Function function) {
  return {
      checkNorm, [function](TtnnCall &call) {
        // Weights are one row of tiles.
        auto row = [&](size_t i) -> DeviceTensor {
          DeviceTensor given = call.optionalInput(i);
          if (!given)
            return std::nullopt;
          int64_t size = elementCount(call.types.input(i)->shape);
          return ::ttnn::reshape(*given, shapeOf({1, size}));
        };
        return call.output(
            0, function(call.exactInput(0),
                        static_cast<float>(call.types.floatOr("epsilon", 1e-5)),
                        row(1), row(2), call.exact()));
      }};
}

} // namespace

void addTtnnProducts(TtnnTable &table) {
  table["matmul"] = matmul;
  table["linear"] = linear;
  table["sum"] = reduction([](Operand x, Dims dims, bool keep, Config config) {
    return ::ttnn::sum(x, dims, keep, std::nullopt, config);
  });
  table["mean"] = reduction([](Operand x, Dims dims, bool keep, Config config) {
    bool integer = isInteger(x.dtype());
    return ::ttnn::mean(integer ? inType(x, DataType::FLOAT32) : x, dims, keep,
                        std::nullopt, config);
  });
  table["max"] = reduction([](Operand x, Dims dims, bool keep, Config config) {
    return ::ttnn::max(x, dims, keep, std::nullopt, config);
  });
  table["min"] = reduction([](Operand x, Dims dims, bool keep, Config config) {
    return ::ttnn::min(x, dims, keep, std::nullopt, config);
  });
  table["softmax"] = softmax;
  table["rms_norm"] =
      norm([](Operand x, float epsilon, const DeviceTensor &weight,
              const DeviceTensor &bias, Config config) {
        return ::ttnn::rms_norm(x, epsilon, weight, bias, std::nullopt,
                                std::nullopt, std::nullopt, config);
      });
  table["layer_norm"] =
      norm([](Operand x, float epsilon, const DeviceTensor &weight,
              const DeviceTensor &bias, Config config) {
        return ::ttnn::layer_norm(x, epsilon, weight, bias, std::nullopt,
                                  std::nullopt, std::nullopt, config);
      });
}

} // namespace ring::rt
