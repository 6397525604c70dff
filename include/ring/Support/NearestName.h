// SPDX-License-Identifier: Apache-2.0
// Which name somebody meant who mistyped one: of an option, a strategy, a
// machine, a backend. Without LLVM, so that the runtime has it too.

#ifndef RING_SUPPORT_NEARESTNAME_H
#define RING_SUPPORT_NEARESTNAME_H

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace ring {

/// How many letters have to be added, left out, changed, or exchanged with
/// their neighbour to make one word of the other. Large and small letters, and
/// - and _, count as the same.
inline size_t editDistance(const std::string &a, const std::string &b) {
  auto letter = [](char c) {
    return c == '_' ? '-' : std::tolower(static_cast<unsigned char>(c));
  };
  // Row i holds the distances of the first i letters of `a` to all beginnings
  // of `b`; an exchange looks two rows back.
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = letter(a[i - 1]) == letter(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same});
      if (i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
          letter(a[i - 2]) == letter(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

/// The known name that is nearest to `name`; empty if none is near: at most a
/// third of its letters may be wrong. Of names that are as near the one that
/// begins alike: t300 is t3000 rather than n300.
inline std::string nearestName(const std::string &name,
                               const std::vector<std::string> &known) {
  auto begin = [&](const std::string &other) {
    size_t same = 0;
    while (same < std::min(name.size(), other.size()) &&
           name[same] == other[same])
      ++same;
    return same;
  };
  std::string nearest;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &candidate : known) {
    size_t distance = editDistance(name, candidate);
    if (distance < least || (distance == least && !nearest.empty() &&
                             begin(candidate) > begin(nearest))) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/// The end of a message about a name that nobody knows: "; did you mean
/// 'ring'?", or nothing.
inline std::string didYouMean(const std::string &name,
                              const std::vector<std::string> &known) {
  std::string nearest = nearestName(name, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace ring

#endif // RING_SUPPORT_NEARESTNAME_H
