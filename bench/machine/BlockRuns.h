// SPDX-License-Identifier: Apache-2.0
//
// Attention blocks of many shapes, timed in turns, and what the things that
// they are made of cost: pairs of a row and a key, borders of a pattern, rows
// that come and go, rows of a state, keys that are packed.

#ifndef RING_BENCH_MACHINE_BLOCKRUNS_H
#define RING_BENCH_MACHINE_BLOCKRUNS_H

#include <cstdint>
#include <vector>

namespace ring::bench {

/// What blocks with heads of some width cost.
struct BlockCosts {
  double flop = 0;      ///< seconds of an operation while rows meet keys
  double border = 0;    ///< keys that a row meets in vain at a border
  double stepByte = 0;  ///< of a block's queries and results
  double stateByte = 0; ///< of queries and of a state, read and written
  double packByte = 0;  ///< of keys that are packed
  double copyByte = 0;  ///< of a copy: a state that is made, or its result
  double error = 0;     ///< of the times, as a share, on average
};

/// Measures blocks whose heads have `dim` numbers.
BlockCosts measureBlocks(int64_t dim);

} // namespace ring::bench

#endif // RING_BENCH_MACHINE_BLOCKRUNS_H
