// SPDX-License-Identifier: Apache-2.0
//
// Whether numbers are those of the reference, as far as their types can hold
// them. The reference is in f64 and not rounded, and both had the same inputs,
// so that three things may separate a right result x from its reference r:
//
// 1. Storage. A result is rounded when it is stored, by at most u |r| with
//      f32 u = 2^-24, bf16 u = 2^-8,
//    and by at most u m in a block format, m the largest of the 16 numbers that
//    share an exponent. With 2^e <= m < 2^(e+1) bfp8_b has steps of 2^(e-6),
//    bfp4_b of 2^(e-2): half a step is at most u m with
//      bfp8_b u = 2^-7, bfp4_b u = 2^-3.
//    The largest code is one step below 2^(e+1), so a number there may be off
//    by a whole step; m is then nearly 2^(e+1), and a step u m again.
//
// 2. Arithmetic within an op, which is f32 whatever the types are. A score of
//    size z is off by about z 2^-24, a sum of n by sqrt(n) 2^-24, and what an
//    exponential makes of a score is off by as much, relative to its size. The
//    project promises a = 1e-5, which is 168 units of f32, for scores of some
//    tens. Narrow types must also take scores of thousands, 2^12 at most, which
//    f32 holds to 2^-12: that is a = u / 16 of bf16, and so for the others.
//
// 3. Roundings on the way. A stage that stores its numbers in a narrow type has
//    an error that is uniform within +-u |y|, and so has a root mean square of
//    u / sqrt(3) of that of its numbers. Sums, products, norms and softmax of
//    such numbers keep the ratio of error and size, for independent errors grow
//    as independent numbers do, so n stages in a row leave
//      noise = sqrt(n / 3) u
//    of the root mean square s of the results. (In a block format the error
//    follows m, which is about twice the root mean square of 16 normal numbers:
//    2 u stands for u.) Rows differ in size: the first ones of a causal
//    attention are averages of few values, and gradients cancel in rows that
//    see one key alone. What is small by cancellation is no more exact than
//    others, so a single number is held against the largest root mean square t
//    of a row. An error is a normal number times another, a weight's error
//    times its value; of a hundred thousand such products one is beyond 10
//    times its root mean square.
//
// Together, for every number,
//    |x - r| <= u |r| + (a + 10 noise) max(|r|, t)        (u m in blocks)
// and for all N of them, whose root mean square error has no reason to be more
// than twice what is expected,
//    rmse <= rms(u |r|) + (a + (2 + 8 / sqrt(N)) noise) s
// where 8 / sqrt(N) is for the few: one number alone has its 10. By the second
// a constant result fails where its reference is none, for its rmse is at least
// the reference's deviation; and a correlation of at least
// sqrt(1 - (rmse / deviation)^2) follows from it, so none is asked for by
// itself. Infinities and NaN must be where the reference has them, and not
// everything may be NaN. What was only moved, and integers, must be equal.
//
// Example: attention in bf16. On one device and in `target=ring` nothing else
// is stored in bf16, so a number of 1 may be off by 0.0039 + 0.0002. Where
// queries were scaled and parts stored in bf16 before, noise = sqrt(2 / 3) 2^-8
// = 0.0032: a number of the size t may be off by 0.036 t, all together by 0.011
// s.

#include "ring-runtime/Judgement.h"

#include "Data/Unit.h"
#include "Kernels/BlockFloat.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

namespace {

/// a of the comment above.
double arithmeticOf(ElementType element) {
  return std::max(1e-5, largestUnit(element) / 16);
}
/// How many root mean squares off the worst of many errors is.
constexpr double kWorstOfMany = 10;
/// How many root mean squares off all errors together may be.
constexpr double kAllTogether = 2;

/// The root mean square of what is finite.
double rootMeanSquare(const std::vector<double> &numbers) {
  double squares = 0, count = 0;
  for (double number : numbers)
    if (std::isfinite(number)) {
      squares += number * number;
      ++count;
    }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

/// The largest root mean square of a row.
double largestRow(const std::vector<double> &numbers, int64_t rowLength) {
  double largest = 0;
  auto row = numbers.begin();
  for (; row < numbers.end(); row += rowLength)
    largest = std::max(largest, rootMeanSquare({row, std::min(row + rowLength,
                                                              numbers.end())}));
  return largest;
}

/// What storing each number may change of it.
std::vector<double> storageErrors(const std::vector<double> &reference,
                                  const Precision &precision) {
  bool shared = isBlockFormat(precision.element);
  int64_t block = shared ? kernels::kBlockValues : 1;
  int64_t count = static_cast<int64_t>(reference.size());
  int64_t row = precision.rowLength;
  std::vector<double> errors(reference.size());
  for (int64_t i = 0, size; i < count; i += size) {
    size = std::min({block, row - i % row, count - i});
    double largest = 0;
    for (int64_t j = i; j < i + size; ++j)
      if (std::isfinite(reference[j]))
        largest = std::max(largest, std::fabs(reference[j]));
    std::fill_n(errors.begin() + i, size,
                largestUnit(precision.element) * largest);
  }
  return errors;
}

/// What each number may be off by, and all of them together.
struct Bounds {
  std::vector<double> each;
  double together = 0;
};

Bounds boundsOf(const std::vector<double> &reference,
                const Precision &precision) {
  if (!precision.computed || !isFloat(precision.element))
    return {std::vector<double>(reference.size(), 0), 0};
  double arithmetic = arithmeticOf(precision.element);
  double one = arithmetic + kWorstOfMany * precision.noise;
  double few = (kWorstOfMany - kAllTogether) /
               std::sqrt(std::max<double>(reference.size(), 1));
  double all = arithmetic + (kAllTogether + few) * precision.noise;
  Bounds bounds{storageErrors(reference, precision), 0};
  bounds.together =
      rootMeanSquare(bounds.each) + all * rootMeanSquare(reference);
  double row = largestRow(reference, precision.rowLength);
  for (size_t i = 0; i < reference.size(); ++i)
    bounds.each[i] += one * std::max(std::fabs(reference[i]), row);
  return bounds;
}

/// The share of a bound that an error uses up.
double shareOf(double error, double bound) {
  return error > 0 ? error / bound : 0;
}

/// What is wrong by itself, whatever the bounds; nothing if there is nothing.
std::string faultOf(const std::vector<double> &found,
                    const std::vector<double> &reference,
                    const Comparison &comparison) {
  if (found.size() != reference.size())
    return error("expects ", reference.size(), " numbers, but got ",
                 found.size())
        .message();
  if (!comparison.finite)
    return "not finite where the reference is, or the other way round";
  auto isNan = [](double number) { return std::isnan(number); };
  if (!found.empty() && std::all_of(found.begin(), found.end(), isNan))
    return "nothing but NaN";
  return "";
}

} // namespace

double largestUnit(ElementType element) {
  switch (element) {
  case ElementType::F32:
    return 0x1p-24;
  case ElementType::BF16:
    return 0x1p-8;
  case ElementType::BFP8B:
    return 0x1p-7;
  case ElementType::BFP4B:
    return 0x1p-3;
  default:
    return 0;
  }
}

double rootMeanSquareUnit(ElementType element) {
  constexpr double kLargestOfBlock = 2; // over the root mean square of 16
  double unit = largestUnit(element) / std::sqrt(3);
  return isBlockFormat(element) ? kLargestOfBlock * unit : unit;
}

Comparison compare(const std::vector<double> &found,
                   const std::vector<double> &reference) {
  Comparison result;
  double sumA = 0, sumB = 0, count = 0;
  double largest = 0, squares = 0;
  size_t size = std::min(found.size(), reference.size());
  for (size_t i = 0; i < size; ++i) {
    double a = found[i], b = reference[i];
    if (!std::isfinite(a) || !std::isfinite(b)) {
      // An infinity must be the same one, and NaN be NaN on both sides.
      bool bothNan = std::isnan(a) && std::isnan(b);
      result.nan += bothNan;
      result.finite &= a == b || bothNan;
      continue;
    }
    sumA += a;
    sumB += b;
    ++count;
    result.maxError = std::max(result.maxError, std::fabs(a - b));
    largest = std::max(largest, std::fabs(b));
    squares += (a - b) * (a - b);
  }
  if (count == 0)
    return result;
  result.rmse = std::sqrt(squares / count);
  result.relativeError =
      largest > 0 ? result.maxError / largest : (result.maxError > 0 ? 1 : 0);
  double meanA = sumA / count, meanB = sumB / count;
  double varA = 0, varB = 0, covariance = 0;
  for (size_t i = 0; i < size; ++i) {
    if (!std::isfinite(found[i]) || !std::isfinite(reference[i]))
      continue;
    double a = found[i] - meanA, b = reference[i] - meanB;
    varA += a * a;
    varB += b * b;
    covariance += a * b;
  }
  if (varA > 0 && varB > 0)
    result.pcc = covariance / std::sqrt(varA * varB);
  return result;
}

Judgement judge(const std::vector<double> &found,
                const std::vector<double> &reference,
                const Precision &precision) {
  Judgement result;
  result.comparison = compare(found, reference);
  result.fault = faultOf(found, reference, result.comparison);
  if (!result.passed())
    return result;
  Bounds bounds = boundsOf(reference, precision);
  size_t beyond = 0, first = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(reference[i]))
      continue;
    double share = shareOf(std::fabs(found[i] - reference[i]), bounds.each[i]);
    result.worst = std::max(result.worst, share);
    if (share > 1 && beyond++ == 0)
      first = i;
  }
  double share = shareOf(result.comparison.rmse, bounds.together);
  result.worst = std::max(result.worst, share);
  if (beyond > 0)
    result.fault =
        error(beyond, " of ", found.size(),
              " numbers are beyond their bound, the first is number ", first,
              ": expects ", reference[first], ", but got ", found[first])
            .message();
  else if (share > 1)
    result.fault = error("expects a root mean square error of at most ",
                         bounds.together, ", but got ", result.comparison.rmse)
                       .message();
  return result;
}

Judgement judge(const std::vector<double> &found,
                const std::vector<double> &reference, double tolerance) {
  Judgement result;
  result.comparison = compare(found, reference);
  result.fault = faultOf(found, reference, result.comparison);
  result.worst = result.comparison.relativeError / tolerance;
  if (result.passed() && !(result.worst <= 1))
    result.fault = error("expects a relative error of at most ", tolerance,
                         ", but got ", result.comparison.relativeError)
                       .message();
  return result;
}

} // namespace ring::rt
