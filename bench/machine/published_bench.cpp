// SPDX-License-Identifier: Apache-2.0
//
// Prints what the machine model says of all published figures, as the table of
// docs/MachineModel.md.

#include "ring/Machine/PublishedFigures.h"

#include <cstdio>

int main() {
  std::fputs(ring::machine::publishedTable().c_str(), stdout);
  return 0;
}
