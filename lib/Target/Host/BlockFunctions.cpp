// SPDX-License-Identifier: Apache-2.0
// Which functions a block needs.

#include "BlockFunctions.h"
#include "BlockFunctionBuilder.h"

#include <cmath>

namespace mlir::ring::host {

static constexpr int64_t kTile = 32;

Block::Block(Value query, Value key, Value value, Mask mask, Value maskOperand,
             std::optional<double> scale)
    : query(cast<RankedTensorType>(query.getType())),
      key(cast<RankedTensorType>(key.getType())),
      value(cast<RankedTensorType>(value.getType())), mask(mask) {
  if (maskOperand)
    maskType = cast<RankedTensorType>(maskOperand.getType());
  double dim = static_cast<double>(this->query.getDimSize(kDim));
  this->scale = scale.value_or(1 / std::sqrt(dim));
}

int64_t Block::groups() const {
  return query.getDimSize(kHeads) / key.getDimSize(kHeads);
}

/// 16384 queries and keys of 10 heads: 640 KiB of scores for a query, so that
/// 128 of them are taken at a time in 128 MiB. Parts are equal, of whole tiles.
int64_t Block::rowsAtATime(int64_t scoreBytes) const {
  int64_t rows = query.getDimSize(kRows), tiles = rows / kTile;
  int64_t bytes = query.getDimSize(kBatch) * query.getDimSize(kHeads) *
                  key.getDimSize(kRows) * 4;
  if (rows % kTile != 0)
    return rows;
  int64_t most = std::max<int64_t>(1, scoreBytes / (bytes * kTile));
  int64_t part = std::min(tiles, most);
  while (tiles % part != 0)
    --part;
  return part * kTile;
}

Block Block::withRows(int64_t rows) const {
  Block part = *this;
  for (RankedTensorType *type : {&part.key, &part.value})
    *type = RankedTensorType::get(
        withSize(type->getShape(), kHeads, query.getDimSize(kHeads)),
        type->getElementType());
  auto cut = [&](RankedTensorType type) {
    return RankedTensorType::get(withSize(type.getShape(), kRows, rows),
                                 type.getElementType());
  };
  part.query = cut(query);
  if (part.maskType)
    part.maskType = cut(maskType);
  if (part.mask == Mask::Causal)
    part.mask = Mask::Kept;
  return part;
}

std::string Block::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (RankedTensorType type : {query, key, value}) {
    stream << type.getElementType();
    for (int64_t size : type.getShape())
      stream << 'x' << size;
    stream << ' ';
  }
  stream << static_cast<int>(mask) << ' ' << scale;
  return text;
}

std::string forwardBlock(ProgramDescriber &program, const Block &block,
                         bool givesLse) {
  std::string key = (givesLse ? "forward, lse " : "forward ") + block.text();
  std::string what = givesLse ? "A block's attention and log-sum-exp, "
                              : "A block's attention, ";
  int64_t rows = block.rowsAtATime(program.options.scoreMebibytes << 20);
  if (rows == block.query.getDimSize(kRows))
    return program.helper(key, "attention_block", [&](StringRef name) {
      return wholeForward(block, name,
                          what + "in ttnn's own ops: its scores are in memory.",
                          givesLse);
    });
  std::string part = forwardBlock(program, block.withRows(rows), givesLse);
  return program.helper(key, "attention_in_parts", [&](StringRef name) {
    return forwardInParts(block, rows, part, name,
                          what + std::to_string(rows) + " queries at a time.",
                          givesLse);
  });
}

std::string backwardBlock(ProgramDescriber &program, const Block &block) {
  std::string what = "The gradients of a block's attention, ";
  auto whole = [&](const Block &block, bool isPart) {
    return program.helper(
        (isPart ? "part of backward " : "backward ") + block.text(),
        "attention_block_gradients", [&](StringRef name) {
          return wholeBackward(
              block, name,
              what + "in ttnn's own ops: its scores are in memory.", isPart);
        });
  };
  int64_t rows = block.rowsAtATime(program.options.scoreMebibytes << 20);
  if (rows == block.query.getDimSize(kRows))
    return whole(block, /*isPart=*/false);
  std::string part = whole(block.withRows(rows), /*isPart=*/true);
  return program.helper("backward " + block.text(),
                        "attention_gradients_in_parts", [&](StringRef name) {
                          return backwardInParts(block, rows, part, name,
                                                 what + std::to_string(rows) +
                                                     " queries at a time.");
                        });
}

} // namespace mlir::ring::host
