// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their numbers, which the device reads in one type only.

#include "FunctionDescriber.h"

namespace mlir::ring::host {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Numbers as the device reads them: unsigned, row by row.
static Expression asIndices(Value numbers, FunctionDescriber &function) {
  Expression indices = function.nameOf(numbers);
  if (!typeOf(numbers).getElementType().isUnsignedInteger(32))
    indices = function.step(
        "indices",
        call("typecast", {indices, Expression::enumerator("uint32")}));
  return function.step(
      "indices",
      call("to_layout", {indices, Expression::enumerator("row_major")}));
}

static Expression lookUp(const Expression &indices, const Expression &table,
                         StringRef layout = "tile") {
  return call("embedding", {indices, table},
              {{"layout", Expression::enumerator(layout)}});
}

/// The device reads rows of bf16. A row of f32 is the sum of three of bf16,
/// with 8 bits each of its 24, so that three tables of them lose nothing:
///
///   high = bf16(x);  middle = bf16(x - high);  low = bf16(x - high - middle)
///
/// An infinity is all in the high part: what is left of it is not a number.
static Function makeSplitLookUp(StringRef name) {
  Function made;
  made.name = name.str();
  made.comment = "Rows of f32 as the sum of three look-ups: the device's reads "
                 "tables of bf16.";
  made.parameters = {{"indices", {}, "uint32"}, {"table", {}, "float32"}};
  made.results = {{"rows", {}, "float32"}};
  auto assign = [&](StringRef result, Expression value) {
    made.body.push_back(
        {Statement::Kind::Assign, {result.str()}, std::move(value)});
    return Expression::name(result);
  };
  Expression indices = Expression::name("indices");
  Expression rest = Expression::name("table"), rows;
  Expression bf16 = Expression::enumerator("bfloat16");
  Expression f32 = Expression::enumerator("float32");
  for (StringRef part : {"high", "middle", "low"}) {
    Expression rounded = assign(part, call("typecast", {rest, bf16}));
    Expression found =
        assign((part + "_rows").str(),
               call("typecast", {lookUp(indices, rounded), f32}));
    rows = part == "high" ? found : assign("rows", call("add", {rows, found}));
    if (part == "low")
      break;
    Expression widened =
        assign((part + "_f32").str(), call("typecast", {rounded, f32}));
    Expression left =
        assign((part + "_left").str(), call("subtract", {rest, widened}));
    Expression exact =
        assign((part + "_exact").str(), call("eq", {rest, widened}));
    rest = assign((part + "_rest").str(),
                  call("where", {exact, Expression::realNumber(0), left}));
  }
  made.body.push_back({Statement::Kind::Return, {"rows"}, {}});
  return made;
}

LogicalResult describeEmbedding(Operation *op, FunctionDescriber &function) {
  Value table = op->getOperand(1);
  Type element = typeOf(table).getElementType();
  Expression indices = asIndices(op->getOperand(0), function);
  if (element.isBF16())
    return function.assign(op, lookUp(indices, function.nameOf(table),
                                      layoutOf(op->getResult(0))));
  if (!element.isF32())
    return function.refuse(op)
           << "the device's embedding reads bf16, but got " << element;
  Expression split;
  split.kind = Expression::Kind::Own;
  split.text =
      function.program().helper("look_up_f32", "look_up_f32", makeSplitLookUp);
  split.parts = {indices, function.nameOf(table)};
  return function.assign(op, std::move(split));
}

} // namespace mlir::ring::host
