// SPDX-License-Identifier: Apache-2.0
//
// Ops that compute each element of the result from one element of each operand.

#include "Data/Numbers.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

namespace {

/// Integers of 32 bits and more are not exact in f32.
bool needsDouble(const OpTypes &types) {
  auto wide = [](const ValueType *type) {
    return type->element == ElementType::I32 ||
           type->element == ElementType::U32 ||
           type->element == ElementType::I64;
  };
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (wide(types.input(i)))
      return true;
  return wide(types.output(0));
}

Status verifyBroadcast(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Shape joint;
  for (size_t i = 0; i < types.inputCount(); ++i) {
    Result<Shape> next = broadcastShapes({&joint, &types.input(i)->shape});
    if (!next)
      return next.status();
    joint = *next;
  }
  return expectShape(types, 0, joint);
}

/// Applies `function` to chunks of `Operands` arrays of numbers.
template <typename Number, size_t Operands, typename Function>
Status apply(OpRun &run, const Function &function) {
  const Shape &shape = run.types.output(0)->shape;
  std::vector<Shape> strides;
  // An operand that is one number everywhere is read from here.
  double uniform[Operands];
  const void *data[Operands];
  for (size_t i = 0; i < Operands; ++i) {
    strides.push_back(broadcastStrides(run.types.input(i)->shape, shape));
    const TensorPieces *pieces = run.inputStorage(i)->pieces();
    data[i] = pieces ? &uniform[i] : static_cast<const void *>(run.input(i));
    if (!pieces)
      continue;
    storeNumbers(&uniform[i], run.inputElement(i), 0, &pieces->fill, 1);
    strides[i].assign(shape.size(), 0);
  }
  strides.push_back(denseStrides(shape));
  StridedLoop loop(shape, strides);
  return run.parallelFor(
      loop.rows(), loop.grain(), [&](int64_t begin, int64_t end) {
        constexpr int64_t kChunk = 256;
        Number chunks[Operands][kChunk];
        for (int64_t row = begin; row < end; ++row)
          for (int64_t i = 0; i < loop.rowLength(); i += kChunk) {
            int64_t count = std::min(kChunk, loop.rowLength() - i);
            for (size_t o = 0; o < Operands; ++o)
              loadNumbers(data[o], run.inputElement(o),
                          loop.offset(o, row) + i * loop.innerStride(o),
                          loop.innerStride(o), chunks[o], count);
            for (int64_t j = 0; j < count; ++j) {
              if constexpr (Operands == 1)
                chunks[0][j] = function(chunks[0][j]);
              else if constexpr (Operands == 2)
                chunks[0][j] = function(chunks[0][j], chunks[1][j]);
              else
                chunks[0][j] =
                    function(chunks[0][j], chunks[1][j], chunks[2][j]);
            }
            storeNumbers(run.output(0), run.outputElement(0),
                         loop.offset(Operands, row) + i, chunks[0], count);
          }
      });
}

template <size_t Operands, typename Function>
Op elementwise(const char *name, Function function) {
  Op op;
  op.name = name;
  op.signature.inputs = {Operands, Operands};
  op.signature.verify = verifyBroadcast;
  op.access.inPlaceInput = 0;
  op.access.overwrites = true;
  op.access.takesPieces = [](const OpTypes &, size_t,
                             const TensorPieces &operand) {
    return operand.pieces.empty();
  };
  op.run = [function](OpRun &run) {
    if (needsDouble(run.types))
      return apply<double, Operands>(run, function);
    return apply<float, Operands>(run, function);
  };
  op.costs.flops = [](const OpTypes &types, int64_t) {
    return static_cast<double>(elementCount(types.output(0)->shape));
  };
  return op;
}

template <typename Number>
Number sigmoid(Number x) {
  // exp of a negative number only, so that nothing overflows.
  Number e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

template <typename Number>
Number gelu(Number x, bool approximate) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
  if (approximate)
    return x / 2 *
           (1 + std::tanh(Number(kSqrtTwoOverPi) *
                          (x + Number(0.044715) * x * x * x)));
  return x / 2 * (1 + std::erf(x * Number(kSqrtHalf)));
}

void registerArithmetic(OpTable &table) {
  table.add(elementwise<2>("add", [](auto a, auto b) { return a + b; }));
  table.add(elementwise<2>("subtract", [](auto a, auto b) { return a - b; }));
  table.add(elementwise<2>("multiply", [](auto a, auto b) { return a * b; }));
  table.add(elementwise<2>("divide", [](auto a, auto b) { return a / b; }));
  table.add(
      elementwise<2>("pow", [](auto a, auto b) { return std::pow(a, b); }));
  // NaN of either operand stays NaN.
  table.add(elementwise<2>("maximum", [](auto a, auto b) {
    return a > b || std::isnan(a) ? a : b;
  }));
  table.add(elementwise<2>("minimum", [](auto a, auto b) {
    return a < b || std::isnan(a) ? a : b;
  }));
  table.add(elementwise<3>(
      "where", [](auto c, auto a, auto b) { return c != 0 ? a : b; }));
}

void registerComparisons(OpTable &table) {
  auto comparison = [&](const char *name, auto holds) {
    table.add(elementwise<2>(name, [holds](auto a, auto b) {
      return static_cast<decltype(a)>(holds(a, b) ? 1 : 0);
    }));
  };
  comparison("eq", [](auto a, auto b) { return a == b; });
  comparison("ne", [](auto a, auto b) { return a != b; });
  comparison("gt", [](auto a, auto b) { return a > b; });
  comparison("ge", [](auto a, auto b) { return a >= b; });
  comparison("lt", [](auto a, auto b) { return a < b; });
  comparison("le", [](auto a, auto b) { return a <= b; });
  comparison("logical_and", [](auto a, auto b) { return a != 0 && b != 0; });
  comparison("logical_or", [](auto a, auto b) { return a != 0 || b != 0; });
}

void registerFunctions(OpTable &table) {
  table.add(elementwise<1>("neg", [](auto x) { return -x; }));
  table.add(elementwise<1>("abs", [](auto x) { return std::abs(x); }));
  table.add(elementwise<1>("exp", [](auto x) { return std::exp(x); }));
  table.add(elementwise<1>("log", [](auto x) { return std::log(x); }));
  table.add(elementwise<1>("sqrt", [](auto x) { return std::sqrt(x); }));
  table.add(elementwise<1>("rsqrt", [](auto x) { return 1 / std::sqrt(x); }));
  table.add(elementwise<1>("reciprocal", [](auto x) { return 1 / x; }));
  table.add(elementwise<1>("sigmoid", [](auto x) { return sigmoid(x); }));
  table.add(elementwise<1>("silu", [](auto x) { return x * sigmoid(x); }));
  table.add(elementwise<1>("tanh", [](auto x) { return std::tanh(x); }));
  table.add(elementwise<1>("relu", [](auto x) { return x < 0 ? 0 : x; }));
  table.add(elementwise<1>("sin", [](auto x) { return std::sin(x); }));
  table.add(elementwise<1>("cos", [](auto x) { return std::cos(x); }));
  table.add(elementwise<1>("erf", [](auto x) { return std::erf(x); }));
  table.add(elementwise<1>("floor", [](auto x) { return std::floor(x); }));
  table.add(elementwise<1>("ceil", [](auto x) { return std::ceil(x); }));
  table.add(elementwise<1>("sign", [](auto x) {
    return static_cast<decltype(x)>((x > 0) - (x < 0));
  }));
  table.add(elementwise<1>("logical_not", [](auto x) {
    return static_cast<decltype(x)>(x == 0 ? 1 : 0);
  }));
  table.add(elementwise<1>("typecast", [](auto x) { return x; }));
}

} // namespace

void registerElementwiseOps(OpTable &table) {
  registerArithmetic(table);
  registerComparisons(table);
  registerFunctions(table);

  Op geluOp = elementwise<1>("gelu", [](auto x) { return x; });
  geluOp.signature.attributes = {{"approximate", AttributeKind::Int}};
  geluOp.run = [](OpRun &run) {
    bool approximate = run.types.flag("approximate");
    return apply<float, 1>(
        run, [approximate](float x) { return gelu(x, approximate); });
  };
  table.add(std::move(geluOp));

  Op clamp = elementwise<1>("clamp", [](auto x) { return x; });
  clamp.signature.attributes = {{"min", AttributeKind::Float, true},
                                {"max", AttributeKind::Float, true}};
  clamp.run = [](OpRun &run) {
    double low = run.types.floatOr("min", 0);
    double high = run.types.floatOr("max", 0);
    return apply<double, 1>(run, [low, high](double x) {
      return x < low ? low : x > high ? high : x;
    });
  };
  table.add(std::move(clamp));

  Op copy;
  copy.name = "copy";
  copy.access.shares = true;
  copy.signature.verify = [](const OpTypes &types) {
    if (Status status = expectTensors(types); !status)
      return status;
    return expectSameType(types, 0, 0);
  };
  copy.run = [](OpRun &run) {
    run.shareOutput(0, run.inputStorage(0));
    return Status::success();
  };
  table.add(std::move(copy));
}

} // namespace ring::rt
