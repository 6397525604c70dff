// SPDX-License-Identifier: Apache-2.0
//
// The sources of the device kernels, as part of the library: whoever compiles
// kernels while it runs, or hands them on to be compiled, needs no file of ours
// beside it.

#ifndef RING_RUNTIME_KERNELSOURCES_H
#define RING_RUNTIME_KERNELSOURCES_H

#include "ring-runtime/Status.h"

#include <string>
#include <vector>

namespace ring::rt {

/// A kernel of runtime/device as one text that needs the device's own headers
/// and nothing else: our headers stand where they are first included, and the
/// defines ("NAME" or "NAME=value") come first.
Result<std::string> kernelText(const std::string &source,
                               const std::vector<std::string> &defines = {});

/// The same text without comments and empty lines, for whoever repeats it for
/// every core. Kernels have no other comments than those to the end of a line.
std::string withoutComments(const std::string &text);

} // namespace ring::rt

#endif // RING_RUNTIME_KERNELSOURCES_H
