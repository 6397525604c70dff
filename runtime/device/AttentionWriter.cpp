// SPDX-License-Identifier: Apache-2.0
//
// Takes what a compute core has finished to DRAM: outputs and log-sum-exps
// after the last step, states after the others where they do not stay in L1.

#include "api/dataflow/dataflow_api.h"

#include "AttentionBuffers.h"
#include "CommonWords.h"
#include "NocCores.h"

namespace {

/// Writes the first `count` of `group` tiles at the front of a buffer to pages
/// from `page` on.
template <typename Accessor>
void writeTiles(uint32_t buffer, uint32_t group, uint32_t count,
                const Accessor &pages, uint32_t page) {
  const uint32_t bytes = get_tile_size(buffer);
  cb_wait_front(buffer, group);
  for (uint32_t i = 0; i < count; ++i)
    noc_async_write(get_read_ptr(buffer) + i * bytes,
                    pages.get_noc_addr(page + i), bytes);
}

} // namespace

void kernel_main() {
  const uint32_t queryRows = constant<kQueryRows>();
  const uint32_t valueTiles = constant<kValueTiles>();
  const bool resident = constant<kResident>();
  constexpr auto outputArgs = TensorAccessorArgs<kFirstAccessor>();
  constexpr auto logSumArgs =
      TensorAccessorArgs<outputArgs.next_compile_time_args_offset()>();
  constexpr auto stashArgs =
      TensorAccessorArgs<logSumArgs.next_compile_time_args_offset()>();

  const Tables tables{};
  const uint32_t firstRow = ownWord(kFirstRow);
  const uint32_t endRow = firstRow + ownWord(kRows);
  auto *stashed = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(
      semaphoreAt(ownWord(kStashed)));
  const auto outputs = TensorAccessor(outputArgs, tables.words(kOutputAddress));
  const auto logSums = TensorAccessor(logSumArgs, tables.words(kLogSumAddress));
  const auto stash = TensorAccessor(stashArgs, tables.words(kStashAddress));
  const uint32_t outputTiles = queryRows * valueTiles;

  const uint32_t steps = tables.words(kSteps);
  uint32_t count = 0;
  for (uint32_t step = 0; !resident && step + 1 < steps; ++step)
    for (QueryChunk chunk = tables.queryChunk(firstRow, endRow, queryRows);
         chunk.rows; chunk = tables.chunkBehind(chunk, endRow, queryRows)) {
      uint32_t page = chunk.row * (valueTiles + 2);
      writeTiles(kStashOut, queryRows, chunk.rows, stash, page);
      page += chunk.rows;
      writeTiles(kStashOut + 1, queryRows, chunk.rows, stash, page);
      page += chunk.rows;
      writeTiles(kStashOut + 2, outputTiles, chunk.rows * valueTiles, stash,
                 page);
      noc_async_write_barrier();
      cb_pop_front(kStashOut, queryRows);
      cb_pop_front(kStashOut + 1, queryRows);
      cb_pop_front(kStashOut + 2, outputTiles);
      noc_semaphore_set(stashed, ++count);
    }

  for (QueryChunk chunk = tables.queryChunk(firstRow, endRow, queryRows);
       chunk.rows; chunk = tables.chunkBehind(chunk, endRow, queryRows)) {
    writeTiles(kOutputs, outputTiles, chunk.rows * valueTiles, outputs,
               chunk.row * valueTiles);
    writeTiles(kLogSums, queryRows, chunk.rows, logSums, chunk.row);
    noc_async_write_barrier();
    cb_pop_front(kOutputs, outputTiles);
    cb_pop_front(kLogSums, queryRows);
  }
}
