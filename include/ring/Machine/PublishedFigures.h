// SPDX-License-Identifier: Apache-2.0
//
// What was published of attention on chips, and how far the model is from it:
// the error that stands beside a prediction is the one that the model has on
// figures of the same kind.

#ifndef RING_MACHINE_PUBLISHEDFIGURES_H
#define RING_MACHINE_PUBLISHEDFIGURES_H

#include "ring/Machine/Timeline.h"

namespace ring::machine {

/// One row of bench/machine/published.csv.
struct PublishedFigure {
  std::string name;
  std::string source;
  std::string machine; ///< the name of a built-in one
  /// What it is a figure of; see figureKind.
  std::string kind;
  std::vector<int64_t> mesh; ///< the longest axis is the ring
  /// "full", "causal", "zigzag" (causal, balanced over the ring) or "cache" (a
  /// chunk of queries over all keys so far).
  std::string pattern;
  AttentionCall call; ///< of one chip, with one shard of the keys
  TransferOptions transfer;
  /// Seconds, in the figure's unit, of what was measured alone and then went on
  /// beside each other.
  std::vector<double> beside;
  double published = 0;
  /// "us", "ns", "%" of the peak, or "GB/s": what a chip receives of a gather,
  /// or what a link carries in one direction.
  std::string unit;
  double useful = 1; ///< share of the pairs that the utilisation counts
  /// "fitted" if a constant was chosen by it, "predicted" if none was, "left
  /// out" if the model does not claim to cover it.
  std::string use;
  std::string assumed; ///< what the source leaves open
};

/// All of them, in the table's order.
const std::vector<PublishedFigure> &publishedFigures();
/// What the model says, in the figure's unit.
double predictedFigure(const PublishedFigure &figure);
/// How far that is from what was published, as a share of it.
double errorOf(const PublishedFigure &figure);
/// All figures with predictions and errors, as a Markdown table, and a line
/// with the median and the largest error of those that were not fitted.
std::string publishedTable();

/// The kind of figures that speak for a call: "ring causal", "own keys causal
/// f32", "decode", ... Empty if its kernel was never published: blocks of an
/// explicit ring carry a state. `fused`: a step of a fused ring, which is no
/// decoding however few its queries are.
std::string figureKind(const AttentionCall &call, bool fused);

/// The error of a prediction.
struct EarnedError {
  bool covered = true; ///< by some figure of every kind in it
  double most = 0;     ///< the largest error on them, as a share

  void add(const EarnedError &other) {
    covered &= other.covered;
    most = other.most > most ? other.most : most;
  }
  /// Figures speak for attention alone: not for a program of which attention
  /// has `attends` of `all` seconds, where the rest is more than a little.
  void speakFor(double attends, double all);
};
/// Of a kind of call on the chips of a machine. Only figures that nothing was
/// fitted to count.
EarnedError earnedError(const Machine &machine, const std::string &kind);
/// Of one call; `fused`: a step of a fused ring.
EarnedError earnedError(const Machine &machine, const AttentionCall &call,
                        bool fused);
/// Of all blocks of a timeline, which take `seconds`, by their number, among
/// everything else that devices do in it.
EarnedError earnedError(const Machine &machine, const Timeline &timeline,
                        const std::vector<double> &seconds);

} // namespace ring::machine

#endif // RING_MACHINE_PUBLISHEDFIGURES_H
