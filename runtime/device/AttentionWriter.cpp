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
  const uint32_t firstChunk = ownWord(kFirstChunk);
  const uint32_t chunks = ownWord(kChunks);
  auto *stashed = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(
      semaphoreAt(ownWord(kStashed)));
  const auto outputs = TensorAccessor(outputArgs, tables.words(kOutputAddress));
  const auto logSums = TensorAccessor(logSumArgs, tables.words(kLogSumAddress));
  const auto stash = TensorAccessor(stashArgs, tables.words(kStashAddress));
  const uint32_t outputTiles = queryRows * valueTiles;

  const uint32_t steps = tables.words(kSteps);
  if (!resident) {
    uint32_t count = 0;
    for (uint32_t step = 0; step + 1 < steps; ++step)
      for (uint32_t c = 0; c < chunks; ++c) {
        const uint32_t rows = tables.queryChunk(firstChunk + c, queryRows).rows;
        const uint32_t page = (firstChunk + c) * queryRows * (valueTiles + 2);
        writeTiles(kStashOut, queryRows, rows, stash, page);
        writeTiles(kStashOut + 1, queryRows, rows, stash, page + queryRows);
        writeTiles(kStashOut + 2, outputTiles, rows * valueTiles, stash,
                   page + 2 * queryRows);
        noc_async_write_barrier();
        cb_pop_front(kStashOut, queryRows);
        cb_pop_front(kStashOut + 1, queryRows);
        cb_pop_front(kStashOut + 2, outputTiles);
        noc_semaphore_set(stashed, ++count);
      }
  }

  for (uint32_t c = 0; c < chunks; ++c) {
    const QueryChunk chunk = tables.queryChunk(firstChunk + c, queryRows);
    const uint32_t row = chunk.head * tables.words(kHeadRows) + chunk.firstRow;
    writeTiles(kOutputs, outputTiles, chunk.rows * valueTiles, outputs,
               row * valueTiles);
    writeTiles(kLogSums, queryRows, chunk.rows, logSums, row);
    noc_async_write_barrier();
    cb_pop_front(kOutputs, outputTiles);
    cb_pop_front(kLogSums, queryRows);
  }
}
