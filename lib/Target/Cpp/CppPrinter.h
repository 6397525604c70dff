// SPDX-License-Identifier: Apache-2.0
// What a host program says, in C++.

#ifndef RING_LIB_TARGET_CPP_CPPPRINTER_H
#define RING_LIB_TARGET_CPP_CPPPRINTER_H

#include "../Host/HostProgram.h"

#include <set>

namespace mlir::ring {

/// The expression on one line.
std::string cppText(const host::Expression &expression);

/// The function with its body.
void printCppFunction(const host::Function &function, raw_ostream &output);

/// Adds the headers that an expression needs.
void collectHeaders(const host::Expression &expression,
                    std::set<std::string> &headers);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_CPP_CPPPRINTER_H
