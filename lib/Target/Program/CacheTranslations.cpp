// SPDX-License-Identifier: Apache-2.0
// Ops that write into a cache of keys or values. Values of a program do not
// change, so a written cache is a new value; where the op has no result, it is
// what its operand stands for from then on.

#include "TensorTranslations.h"

namespace mlir::ring {
namespace {

constexpr int64_t kBatch = 0, kRows = 2;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType withSize(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// Writes one cache op step by step.
class CacheWriter {
public:
  CacheWriter(Operation *op, ProgramWriter &writer) : op(op), writer(writer) {}

  /// A cache of 4 users and 128 rows, of which user 1 gets 100 rows: those and
  /// the last 28 of the user's own, between user 0 and users 2 and 3.
  LogicalResult fill() {
    if (failed(readOperands(2)))
      return failure();
    RankedTensorType input = typeOf(op->getOperand(1));
    int64_t users = input.getDimSize(kBatch), rows = input.getDimSize(kRows);
    if (input.getRank() != 4 || cacheType.getRank() != 4 ||
        offset + users > cacheType.getDimSize(kBatch) ||
        rows > cacheType.getDimSize(kRows))
      return op->emitOpError("cannot run: expects an input within the cache, "
                             "but got ")
             << input << " at user " << offset << " of " << cacheType;
    FailureOr<int32_t> own = slice(inputs[0], cacheType, kBatch, offset, users);
    RankedTensorType ownType = withSize(cacheType, kBatch, users);
    FailureOr<int32_t> rest =
        slice(own, ownType, kRows, rows, ownType.getDimSize(kRows) - rows);
    return finish(aroundUsers(join({inputs[1], rest}, ownType, kRows), users));
  }

  /// Row `update_index` of every user; the input has the users as its rows.
  LogicalResult update() {
    if (failed(readOperands(3)))
      return failure();
    RankedTensorType input = typeOf(op->getOperand(1));
    RankedTensorType index = typeOf(op->getOperand(2));
    int64_t users = input.getDimSize(kRows);
    if (input.getRank() != 4 || cacheType.getRank() != 4 ||
        index.getNumElements() != 1 ||
        offset + users > cacheType.getDimSize(kBatch))
      return op->emitOpError("cannot run: expects one row for each user of the "
                             "cache and one index, but got ")
             << input << " and " << index;
    RankedTensorType own = withSize(cacheType, kBatch, users);
    RankedTensorType place =
        RankedTensorType::get({1, 1, cacheType.getDimSize(kRows), 1},
                              Float32Type::get(op->getContext()));
    auto step = [&](StringRef name, std::vector<int32_t> from,
                    RankedTensorType type, rt::Attributes attributes) {
      return writer.step(op, name, std::move(from), type,
                         std::move(attributes));
    };
    FailureOr<int32_t> kept =
        slice(inputs[0], cacheType, kBatch, offset, users);
    FailureOr<int32_t> rows =
        step("permute", {inputs[1]}, withSize(own, kRows, 1),
             {{"permutation", std::vector<int64_t>{2, 1, 0, 3}}});
    FailureOr<int32_t> places = step("arange", {}, place,
                                     {{"start", int64_t(0)},
                                      {"end", cacheType.getDimSize(kRows)},
                                      {"step", int64_t(1)},
                                      {"dim", kRows}});
    FailureOr<int32_t> wanted =
        step("reshape", {inputs[2]},
             RankedTensorType::get({1, 1, 1, 1}, index.getElementType()), {});
    if (failed(kept) || failed(rows) || failed(places) || failed(wanted))
      return failure();
    FailureOr<int32_t> isHere = step("eq", {*places, *wanted}, place, {});
    if (failed(isHere))
      return failure();
    return finish(
        aroundUsers(step("where", {*isHere, *rows, *kept}, own, {}), users));
  }

private:
  LogicalResult readOperands(size_t count) {
    FailureOr<std::vector<int32_t>> operands = writer.operands(op);
    auto at = op->getAttrOfType<IntegerAttr>("batch_offset");
    if (failed(operands) || operands->size() != count || !at)
      return op->emitOpError("cannot run: expects ")
             << count << " operands and a batch_offset";
    inputs = *operands;
    cacheType = typeOf(op->getOperand(0));
    offset = at.getValue().getSExtValue();
    return success();
  }

  /// `size` entries of one dimension; nothing, without an error, for none, and
  /// the value itself for all.
  FailureOr<int32_t> slice(FailureOr<int32_t> from, RankedTensorType type,
                           int64_t dim, int64_t begin, int64_t size) {
    if (failed(from) || size == 0)
      return failure();
    if (size == type.getDimSize(dim))
      return from;
    std::vector<int64_t> begins(type.getRank(), 0),
        ends(type.getShape().begin(), type.getShape().end()),
        steps(type.getRank(), 1);
    begins[dim] = begin;
    ends[dim] = begin + size;
    return writer.step(op, "slice", {*from}, withSize(type, dim, size),
                       {{"begins", begins}, {"ends", ends}, {"steps", steps}});
  }

  /// Those of `parts` that are there, behind each other.
  FailureOr<int32_t> join(ArrayRef<FailureOr<int32_t>> parts,
                          RankedTensorType type, int64_t dim) {
    std::vector<int32_t> there;
    for (FailureOr<int32_t> part : parts)
      if (succeeded(part))
        there.push_back(*part);
    if (there.size() == 1)
      return there.front();
    return writer.step(op, "concat", there, type, {{"dim", dim}});
  }

  FailureOr<int32_t> aroundUsers(FailureOr<int32_t> written, int64_t users) {
    int64_t behind = offset + users;
    return join({slice(inputs[0], cacheType, kBatch, 0, offset), written,
                 slice(inputs[0], cacheType, kBatch, behind,
                       cacheType.getDimSize(kBatch) - behind)},
                cacheType, kBatch);
  }

  LogicalResult finish(FailureOr<int32_t> written) {
    if (failed(written))
      return failure();
    writer.bind(op->getNumResults() ? Value(op->getResult(0))
                                    : op->getOperand(0),
                *written);
    return success();
  }

  Operation *op;
  ProgramWriter &writer;
  std::vector<int32_t> inputs;
  RankedTensorType cacheType;
  int64_t offset = 0;
};

} // namespace

/// A paged op, or one that takes an index for each user: one instruction.
static LogicalResult writeInto(Operation *op, ProgramWriter &writer,
                               StringRef instruction) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  RankedTensorType type = typeOf(op->getOperand(0));
  FailureOr<int32_t> written =
      writer.step(op, instruction, std::move(*inputs), type, {});
  if (failed(written))
    return failure();
  writer.bind(op->getNumResults() ? Value(op->getResult(0)) : op->getOperand(0),
              *written);
  return success();
}

void addCacheTranslations(OpTranslations &translations, StringRef dialect) {
  translations.add((dialect + ".paged_fill_cache").str(),
                   [](Operation *op, ProgramWriter &writer) {
                     return writeInto(op, writer, "cache_fill");
                   });
  translations.add((dialect + ".paged_update_cache").str(),
                   [](Operation *op, ProgramWriter &writer) {
                     return writeInto(op, writer, "cache_update");
                   });
  translations.add((dialect + ".fill_cache").str(),
                   [](Operation *op, ProgramWriter &writer) {
                     return CacheWriter(op, writer).fill();
                   });
  translations.add((dialect + ".update_cache").str(),
                   [](Operation *op, ProgramWriter &writer) {
                     return CacheWriter(op, writer).update();
                   });
}

} // namespace mlir::ring
