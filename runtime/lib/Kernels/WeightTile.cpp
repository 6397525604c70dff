// SPDX-License-Identifier: Apache-2.0
//
// Visibility of keys and scratch sizes; see WeightTile.h.

#include "Kernels/WeightTile.h"

namespace ring::rt::kernels {

/// Sets the offsets of the keys of one panel.
static void fillOffsets(const AttentionProblem &problem, int64_t panel,
                        int64_t index, int64_t base, KeyBlock &block) {
  const int64_t first = index * panel;
  const int64_t count = std::min(panel, block.count - first);
  int64_t positions[kWidestPanel];
  expandPositions(problem.keyPositions, block.begin + first,
                  block.begin + first + count, positions);
  for (int64_t key = 0; key < count; ++key)
    block.offsets[first + key] = clampedOffset(positions[key], base);
  std::fill_n(block.offsets + first + count, panel - count, kPaddingOffset);
}

void fillKeyBlock(const AttentionProblem &problem, int64_t begin, int64_t most,
                  int64_t panel, const GroupWindow &window, int64_t base,
                  KeyBlock &block) {
  block.begin = begin;
  block.count = std::min(most, problem.shape.keys - begin);
  block.panels = divideUp(block.count, panel);
  block.all = boundsOfRows(problem.keyPositions, begin, begin + block.count);
  block.stride = strideOfRows(problem.keyPositions, begin, begin + block.count);
  const int64_t whole = block.count / panel;
  if (whole < block.panels)
    fillOffsets(problem, panel, whole, base, block);
  if (window.shows(block.all))
    return;
  // Panels of which some row sees a part.
  if (block.stride) {
    const int64_t end =
        std::min(divideUp(block.upTo(window.anyHigh), panel), whole);
    const int64_t firstWhole = divideUp(block.below(window.allLow), panel);
    const int64_t pastWhole = block.upTo(window.allHigh) / panel;
    for (int64_t index = block.below(window.anyLow) / panel; index < end;
         ++index)
      if (index < firstWhole || index >= pastWhole)
        fillOffsets(problem, panel, index, base, block);
    return;
  }
  int64_t seen = 0;
  for (int64_t index = 0; index < block.panels; ++index) {
    block.bounds[index] =
        boundsOfRows(problem.keyPositions, begin + index * panel,
                     begin + std::min((index + 1) * panel, block.count));
    if (!window.hides(block.bounds[index]))
      seen = index + 1;
  }
  // Panels in between may be hidden.
  for (int64_t index = 0; index < std::min(seen, whole); ++index)
    if (!window.shows(block.bounds[index]))
      fillOffsets(problem, panel, index, base, block);
}

ScratchLayout scratchLayout(const AttentionShape &shape, bool unpacked) {
  constexpr int64_t kAlign = kBufferAlignment;
  const int64_t valueDim = roundUp(shape.valueDim, kWidestPanel);
  const auto floats = [](int64_t count) {
    return static_cast<size_t>(roundUp(count * sizeof(float), kAlign));
  };
  ScratchLayout layout;
  layout.query = sizeof(ItemScratch);
  layout.out = layout.query + floats(itemQueryFloats(shape));
  layout.key = layout.out + floats(kItemRows * valueDim);
  layout.value =
      layout.key + (unpacked ? floats(blockKeys(shape) * shape.keyDim) : 0);
  layout.end =
      layout.value + (unpacked ? floats(blockKeys(shape) * valueDim) : 0);
  return layout;
}

} // namespace ring::rt::kernels
