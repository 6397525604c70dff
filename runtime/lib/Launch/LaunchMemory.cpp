// SPDX-License-Identifier: Apache-2.0

#include "Launch/LaunchMemory.h"

#include "Data/Numbers.h"

#include <cmath>

namespace ring::rt {

namespace {

constexpr int64_t kTile = 32;

int64_t paddedRows(int64_t rows) { return (rows + kTile - 1) / kTile * kTile; }

/// A tensor of heads x rows x dim as tiles, every head padded to whole ones and
/// to `headRows` rows of tiles.
void writeHeads(const Tensor &tensor, uint32_t headRows, PageBytes &pages) {
  const Shape &shape = tensor.shape();
  const int64_t heads = shape[0] * shape[1], rows = shape[2], dim = shape[3];
  const int64_t headBytes =
      headRows * ((dim + kTile - 1) / kTile) * tileBytes(TileFormat::BF16);
  std::vector<float> numbers(paddedRows(rows) * dim);
  for (int64_t head = 0; head < heads; ++head) {
    loadNumbers(tensor.data(), tensor.element(), head * rows * dim, 1,
                numbers.data(), rows * dim);
    writeTiles(numbers.data(), static_cast<uint32_t>(paddedRows(rows)),
               static_cast<uint32_t>(dim), TileFormat::BF16,
               pages.data() + head * headBytes);
  }
}

/// The inverse: the first `dim` columns of tiles that have `tileColumns`.
Result<Tensor> readHeads(const PageBytes &pages, TileFormat format,
                         const ValueType &type, int64_t tileColumns) {
  Result<Tensor> tensor = Tensor::zeros(type.element, type.shape);
  if (!tensor)
    return tensor;
  const Shape &shape = type.shape;
  const int64_t heads = shape[0] * shape[1], rows = shape[2], dim = shape[3];
  const int64_t padded = paddedRows(rows);
  const int64_t headBytes =
      padded / kTile * ((tileColumns + kTile - 1) / kTile) * tileBytes(format);
  std::vector<float> numbers(padded * tileColumns);
  for (int64_t head = 0; head < heads; ++head) {
    readTiles(pages.data() + head * headBytes, static_cast<uint32_t>(padded),
              static_cast<uint32_t>(tileColumns), format, numbers.data());
    for (int64_t row = 0; row < rows; ++row)
      storeNumbers(tensor->data(), type.element, (head * rows + row) * dim,
                   numbers.data() + row * tileColumns, dim);
  }
  return tensor;
}

/// Heads of a mask behind each other.
void writeMask(const Tensor &tensor, const MaskSizes &mask, float scale,
               PageBytes &pages) {
  const Shape &shape = tensor.shape();
  const int64_t heads = shape[0] * shape[1], rows = shape[2];
  const int64_t columns = shape[3];
  const int64_t headBytes = static_cast<int64_t>(pages.size()) / heads;
  std::vector<float> numbers(rows * columns);
  for (int64_t head = 0; head < heads; ++head) {
    loadNumbers(tensor.data(), tensor.element(), head * rows * columns, 1,
                numbers.data(), rows * columns);
    writeMaskTiles(numbers.data(), static_cast<uint32_t>(rows),
                   static_cast<uint32_t>(columns), mask.parts, scale,
                   pages.data() + head * headBytes);
  }
}

} // namespace

std::vector<uint32_t> writeInputs(const LaunchDescription &launch,
                                  const AttentionProgram &program,
                                  const TensorsByValue &tensors,
                                  MeshMemory &memory) {
  std::vector<uint32_t> written = {program.queries};
  for (size_t device = 0; device < memory.size(); ++device)
    writeHeads(tensors.at(launch.queries)[device], launch.sizes.queryRows,
               memory[device][program.queries]);
  for (size_t store = 0; store < launch.stores.size(); ++store) {
    if (launch.stores[store].keys == kAbsent)
      continue;
    const uint32_t rows = launch.schedule.storeRows[store];
    for (size_t device = 0; device < memory.size(); ++device) {
      writeHeads(tensors.at(launch.stores[store].keys)[device], rows,
                 memory[device][program.keys[store]]);
      writeHeads(tensors.at(launch.stores[store].values)[device], rows,
                 memory[device][program.values[store]]);
    }
    written.push_back(program.keys[store]);
    written.push_back(program.values[store]);
  }
  if (launch.sink != kAbsent) {
    const size_t bytes = 2 * size_t{tileBytes(TileFormat::F32)};
    const uint32_t heads = launch.sizes.batch * launch.sizes.queryHeads;
    for (size_t device = 0; device < memory.size(); ++device) {
      const Tensor &sink = tensors.at(launch.sink)[device];
      for (uint32_t head = 0; head < heads; ++head)
        writeSinkTiles(
            static_cast<float>(loadNumber(sink.data(), sink.element(),
                                          head % launch.sizes.queryHeads)),
            launch.options.scale,
            memory[device][program.sinks].data() + head * bytes);
    }
    written.push_back(program.sinks);
  }
  if (launch.mask != kAbsent) {
    const MaskSizes &mask = *launch.sizes.mask;
    for (size_t device = 0; device < memory.size(); ++device)
      writeMask(tensors.at(launch.mask)[device], mask, launch.options.scale,
                memory[device][program.mask]);
    written.push_back(program.mask);
  }
  return written;
}

Status readOutputs(const LaunchDescription &launch,
                   const AttentionProgram &program, const MeshMemory &memory,
                   const Program &types, TensorsByValue &tensors) {
  const ValueType &outputs = types.values()[launch.outputs];
  const ValueType &logSums = types.values()[launch.logSums];
  for (const std::vector<PageBytes> &buffers : memory) {
    Result<Tensor> output =
        readHeads(buffers[program.outputs], launch.options.outputFormat,
                  outputs, launch.sizes.valueDim);
    if (!output)
      return output.status();
    // A log-sum-exp is the first column of its tile.
    Result<Tensor> sums =
        readHeads(buffers[program.logSums], TileFormat::F32, logSums, kTile);
    if (!sums)
      return sums.status();
    auto *numbers = reinterpret_cast<float *>(sums->data());
    for (int64_t i = 0; i < sums->count(); ++i)
      if (isEmptyLogSum(numbers[i], launch.options.scale))
        numbers[i] = -INFINITY;
    tensors[launch.outputs].push_back(std::move(*output));
    tensors[launch.logSums].push_back(std::move(*sums));
  }
  return Status::success();
}

} // namespace ring::rt
