// SPDX-License-Identifier: Apache-2.0
//
// The processor model: what an attention costs where devices share the cores of
// one processor, as those of the CPU mesh do. Worked example, one step of a
// ring of 8 with 8 heads of 64, 512 rows a device, on two cores with a peak of
// 373 GFLOP/s: 512 x 512 pairs are 0.54 GFLOP, which at 91 % of the peak
// take 1.6 ms; 4096 rows of queries and of state are 3.2 MB, which at 28 GB/s
// take 0.11 ms. The 1 MB of keys are packed once for all eight devices.

#include "ring/Machine/ChipModel.h"

#include <algorithm>

namespace ring::machine {

namespace {

constexpr double kF32Bytes = 4;
/// Maximum and sum of a row of the state.
constexpr int64_t kStatistics = 2;

double real(int64_t value) { return static_cast<double>(value); }

double shareAt(const SharedProcessor &processor, double dim) {
  const std::vector<ShareAt> &shares = processor.attentionShare;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (dim > real(shares[i].dim))
      continue;
    if (i == 0)
      return shares[i].share;
    const ShareAt &below = shares[i - 1];
    double weight = (dim - real(below.dim)) / real(shares[i].dim - below.dim);
    return below.share + weight * (shares[i].share - below.share);
  }
  return shares.back().share;
}

} // namespace

double packSeconds(const SharedProcessor &processor,
                   const AttentionCall &call) {
  int64_t heads = call.keyHeads > 0 ? call.keyHeads : call.heads;
  return kF32Bytes * real(call.batch * heads) * real(call.keys) *
         real(call.keyDim) / processor.packBandwidth;
}

AttentionTime processorTime(const SharedProcessor &processor,
                            const AttentionCall &call) {
  AttentionTime time;
  time.flops = usefulFlops(call);
  double rows = real(call.batch * call.heads) * real(call.queries);
  double keys = real(call.keys);
  double hidden = keys * (1 - call.pairs);
  double met =
      keys - hidden + std::min(hidden, call.borders * processor.borderKeys);
  double dims = real(call.keyDim + call.valueDim);
  double products =
      2.0 * rows * met * dims / (processor.peak * shareAt(processor, dims / 2));
  // Queries come in; the result goes out, or a state both ways.
  double numbers = real(call.keyDim + call.valueDim);
  if (call.carriesState)
    numbers += real(call.valueDim + 2 * kStatistics);
  double bandwidth =
      call.carriesState ? processor.stateBandwidth : processor.stepBandwidth;
  double rowSeconds = kF32Bytes * rows * numbers / bandwidth;
  time.computeSeconds = products + rowSeconds;
  if (call.packsKeys)
    time.computeSeconds += packSeconds(processor, call);
  time.seconds = time.computeSeconds + processor.instruction;
  time.utilisation = time.flops / (processor.peak * time.seconds);
  time.bound = products > rowSeconds ? "products" : "rows";
  time.queryChunk = call.queryChunk;
  time.keyChunk = call.keyChunk;
  return time;
}

} // namespace ring::machine
