// SPDX-License-Identifier: Apache-2.0
//
// Whether a result is right: the one judgement of tools and tests. The bounds,
// and why they are what they are, stand in lib/Data/Judgement.cpp and in
// docs/Runtime.md.

#ifndef RING_RUNTIME_JUDGEMENT_H
#define RING_RUNTIME_JUDGEMENT_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// How far numbers are from a reference, counted over those that are finite on
/// both sides.
struct Comparison {
  double pcc = 0;           ///< Pearson's correlation; 0 if either is constant
  double rmse = 0;          ///< root of the mean squared error
  double maxError = 0;      ///< largest absolute error
  double relativeError = 0; ///< that, over the largest |reference|
  bool finite = true; ///< NaN and infinities are where the reference's are
  int64_t nan = 0;    ///< how many are NaN in both
};

/// Compares as many numbers.
Comparison compare(const std::vector<double> &found,
                   const std::vector<double> &reference);

/// How exact a result can be, by how it is stored and how it came about.
struct Precision {
  ElementType element = ElementType::F32;
  /// Numbers of a row: blocks that share an exponent start anew with each.
  int64_t rowLength = 1;
  /// Whether anything was computed; what was only moved must be equal.
  bool computed = true;
  /// What roundings on the way leave: the expected error, over the root mean
  /// square of the numbers.
  double noise = 0;
};

/// The precision of each output of a program. A rounding on the way counts if
/// it is to a type no coarser than those that `meaning` has: a program of f32
/// stays one of f32, whatever a compiler makes of it. With `roundsWeights`
/// attentions round the weights of keys to bf16, as our device kernels do.
std::vector<Precision> precisionOf(const Program &program,
                                   const Program &meaning,
                                   bool roundsWeights = false);

/// What is to be said of one result.
struct Judgement {
  Comparison comparison;
  /// The largest share of a bound that is used up; above 1 it is broken.
  double worst = 0;
  /// What is wrong; empty if nothing is.
  std::string fault;

  bool passed() const { return fault.empty(); }
};

/// Judges as many numbers by bounds that follow from their precision.
Judgement judge(const std::vector<double> &found,
                const std::vector<double> &reference,
                const Precision &precision);

/// Judges by one bound instead: the largest error over the largest |reference|.
Judgement judge(const std::vector<double> &found,
                const std::vector<double> &reference, double tolerance);

/// The judgement of all outputs of a run, in their order.
struct OutputJudgements {
  /// One line for each output.
  std::string text;
  bool passed = true;
  double worst = 0; ///< of all outputs, as in Judgement
  /// Rows of all outputs, and those of them that were judged.
  int64_t rows = 0, judgedRows = 0;
  std::vector<Judgement> outputs = {};
};

/// "64 of 4096 rows", and nothing where all are judged.
std::string describeSample(int64_t judged, int64_t rows);

/// Judges what running `program` gave by what the reference says that `meaning`
/// computes; `tolerance`, where it is above 0, is the only bound. Of a sample
/// `reference` has those rows alone, and the text says how many of how many.
OutputJudgements judge(const Program &program, const RunResult &result,
                       const Program &meaning, const PortNumbers &reference,
                       double tolerance = 0,
                       const RowSample &sample = RowSample());

} // namespace ring::rt

#endif // RING_RUNTIME_JUDGEMENT_H
