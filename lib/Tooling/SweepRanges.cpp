// SPDX-License-Identifier: Apache-2.0
// Reads what a sweep varies.

#include "ring/Tooling/Sweep.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {
namespace {

/// More points of one kind are a typing error.
constexpr size_t kMostNumbers = 256;
constexpr int64_t kLargest = int64_t{1} << 40;

/// "64k" is 65536; 0 if it is no number.
int64_t readNumber(StringRef text) {
  int64_t unit = 1;
  for (auto [letter, factor] :
       {std::pair("k", int64_t{1} << 10), std::pair("M", int64_t{1} << 20),
        std::pair("G", int64_t{1} << 30)})
    if (text.consume_back(letter)) {
      unit = factor;
      break;
    }
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number < 1 || number > kLargest / unit)
    return 0;
  return number * unit;
}

/// "4k", "4k..1M" or "4k..64k+4k"; empty if it is none.
std::vector<int64_t> readPart(StringRef text) {
  auto [from, rest] = text.split("..");
  auto [to, step] = rest.split('+');
  int64_t first = readNumber(from);
  bool isRange = text.contains(".."), hasStep = rest.contains('+');
  int64_t last = isRange ? readNumber(to) : first;
  int64_t more = hasStep ? readNumber(step) : 0;
  if (first == 0 || last < first || (hasStep && more == 0))
    return {};
  std::vector<int64_t> numbers;
  for (int64_t at = first; at <= last && numbers.size() <= kMostNumbers;
       at += more ? more : at)
    numbers.push_back(at);
  return numbers;
}

} // namespace

std::string readSweepRange(StringRef text, SweepRanges &ranges) {
  auto [name, value] = text.split('=');
  std::vector<int64_t> *into = name == "tokens"    ? &ranges.tokens
                               : name == "devices" ? &ranges.devices
                                                   : nullptr;
  if (!into)
    return "expects tokens=... or devices=... with --sweep, but got '" +
           text.str() + "'";
  if (!into->empty())
    return "expects " + name.str() + " once with --sweep, but got '" +
           text.str() + "' too";
  for (StringRef part : llvm::split(value, ',')) {
    std::vector<int64_t> numbers = readPart(part);
    if (numbers.empty())
      return "expects " + name.str() +
             " of --sweep like 4k..1M, which doubles, 4k..64k+4k or 4k,64k, "
             "but got '" +
             value.str() + "'";
    into->insert(into->end(), numbers.begin(), numbers.end());
  }
  llvm::sort(*into);
  into->erase(std::unique(into->begin(), into->end()), into->end());
  if (into->size() > kMostNumbers)
    return "expects at most " + std::to_string(kMostNumbers) + " numbers of " +
           name.str() + " with --sweep, but got more in '" + value.str() + "'";
  return "";
}

} // namespace mlir::ring
