// SPDX-License-Identifier: Apache-2.0
//
// The reference's own table of ops.

#include "Reference/Reference.h"

namespace ring::rt::reference {

const Function *find(const std::string &name) {
  static const Table table = [] {
    Table made;
    addElementwise(made);
    addReshaping(made);
    addRows(made);
    addProducts(made);
    addAttention(made);
    addRingBlocks(made);
    addExchange(made);
    addFusedRing(made);
    return made;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace ring::rt::reference
