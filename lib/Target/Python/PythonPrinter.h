// SPDX-License-Identifier: Apache-2.0
// What a host program says, in Python.

#ifndef RING_LIB_TARGET_PYTHON_PYTHONPRINTER_H
#define RING_LIB_TARGET_PYTHON_PYTHONPRINTER_H

#include "../Host/HostProgram.h"

namespace mlir::ring {

/// The expression on one line.
std::string pythonText(const host::Expression &expression);

/// `def name(device, ...):` with its body.
void printPythonFunction(const host::Function &function, raw_ostream &output);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PYTHON_PYTHONPRINTER_H
