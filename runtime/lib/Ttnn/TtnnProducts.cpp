// SPDX-License-Identifier: Apache-2.0
//
// Matrix products, reductions and norms.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

/// The dimensions of a reduction; all where none are named.
ttsl::SmallVector<int> dimsOf(const OpTypes &types) {
  std::vector<int64_t> named = types.ints("dims");
  if (!types.has("dims"))
    for (size_t i = 0; i < types.input(0)->shape.size(); ++i)
      named.push_back(static_cast<int64_t>(i));
  ttsl::SmallVector<int> dims;
  for (int64_t dim : named)
    dims.push_back(static_cast<int>(dim));
  return dims;
}

template <typename Function>
TtnnFunction reduction(Function function) {
  return [function](TtnnCall &call) {
    call.output(0, function(call.input(0), dimsOf(call.types),
                            call.types.flag("keep_dim")));
    return Status::success();
  };
}

/// A norm over the last dimension, which is what tt-metal normalises.
template <typename Function>
TtnnFunction norm(Function function) {
  return [function](TtnnCall &call) {
    if (call.types.intOr("normalized_rank", 1) != 1)
      return error("expects a norm over the last dimension on devices, but "
                   "got one over ",
                   call.types.intOr("normalized_rank", 1));
    call.output(
        0, function(call.input(0),
                    static_cast<float>(call.types.floatOr("epsilon", 1e-5)),
                    call.optionalInput(1), call.optionalInput(2)));
    return Status::success();
  };
}

using Operand = const ::ttnn::Tensor &;
using Dims = const ttsl::SmallVector<int> &;

} // namespace

void addTtnnProducts(TtnnTable &table) {
  table["matmul"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::matmul(call.input(0), call.input(1),
                                  call.types.flag("transpose_a"),
                                  call.types.flag("transpose_b")));
    return Status::success();
  };
  table["linear"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::linear(call.input(0), call.input(1),
                                  call.optionalInput(2),
                                  call.types.flag("transpose_a"),
                                  call.types.flag("transpose_b")));
    return Status::success();
  };
  table["sum"] = reduction([](Operand x, Dims dims, bool keep) {
    return ::ttnn::sum(x, dims, keep);
  });
  table["mean"] = reduction([](Operand x, Dims dims, bool keep) {
    return ::ttnn::mean(x, dims, keep);
  });
  table["max"] = reduction([](Operand x, Dims dims, bool keep) {
    return ::ttnn::max(x, dims, keep);
  });
  table["min"] = reduction([](Operand x, Dims dims, bool keep) {
    return ::ttnn::min(x, dims, keep);
  });
  table["softmax"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::softmax(call.input(0), call.dim("dim", 0)));
    return Status::success();
  };
  table["rms_norm"] =
      norm([](Operand x, float epsilon, const DeviceTensor &weight,
              const DeviceTensor &bias) {
        return ::ttnn::rms_norm(x, epsilon, weight, bias);
      });
  table["layer_norm"] =
      norm([](Operand x, float epsilon, const DeviceTensor &weight,
              const DeviceTensor &bias) {
        return ::ttnn::layer_norm(x, epsilon, weight, bias);
      });
}

} // namespace ring::rt
