// SPDX-License-Identifier: Apache-2.0
// The options of host programs on the command line of ring-translate.

#ifndef RING_LIB_TARGET_HOST_HOSTCOMMANDLINE_H
#define RING_LIB_TARGET_HOST_HOSTCOMMANDLINE_H

#include "ring/Target/HostOptions.h"

namespace mlir::ring::host {

/// Adds the options, once for all translations that have them.
void addCommandLineOptions();
/// What they say.
HostOptions commandLineOptions();

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_HOSTCOMMANDLINE_H
