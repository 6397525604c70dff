// SPDX-License-Identifier: Apache-2.0
//
// What a machine file may say: sections, their keys, and where each value goes.

#ifndef RING_LIB_MACHINE_MACHINEKEYS_H
#define RING_LIB_MACHINE_MACHINEKEYS_H

#include "ring/Machine/Machine.h"

#include <functional>

namespace ring::machine {

/// The key that names the machine from which a file says what differs.
constexpr const char *kBasedOn = "based on";

/// One key of a section.
struct Key {
  const char *name;
  bool required;
  /// Reads the value; the error that comes back is empty on success.
  std::function<std::string(const std::string &)> read;
};

/// A section with its keys.
struct Section {
  const char *name;
  std::vector<Key> keys;
};

/// A machine while its files are read. `grid` and `noc` need the rest of the
/// chip and are worked out at the end.
struct Draft {
  Machine machine;
  SharedProcessor processor;
  std::vector<int64_t> grid;
  double noc = 0;
  std::string base; ///< of the file that is being read
};

/// What a file may say, bound to the draft that it is read into.
std::vector<Section> sectionsOf(Draft &draft);

} // namespace ring::machine

#endif // RING_LIB_MACHINE_MACHINEKEYS_H
