// SPDX-License-Identifier: Apache-2.0
//
// Statistics as JSON, for the file and for C.

#ifndef RING_RUNTIME_API_STATISTICSTEXT_H
#define RING_RUNTIME_API_STATISTICSTEXT_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// What `writeStatistics` writes.
std::string statisticsText(const Program &program, const RunResult &result);

} // namespace ring::rt

#endif // RING_RUNTIME_API_STATISTICSTEXT_H
