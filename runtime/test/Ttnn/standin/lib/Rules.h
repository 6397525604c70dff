// SPDX-License-Identifier: Apache-2.0
//
// What tt-metal refuses is refused here too: a rule that is broken throws, as
// tt-metal does.

#pragma once

#include <sstream>
#include <stdexcept>

namespace standin {

/// Throws what the parts say unless the rule is kept.
template <typename... Parts>
void expect(bool kept, const Parts &...parts) {
  if (kept)
    return;
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}

} // namespace standin
