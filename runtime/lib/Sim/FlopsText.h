// SPDX-License-Identifier: Apache-2.0
//
// Operations as the summaries of runs and predictions say them.

#ifndef RING_RUNTIME_SIM_FLOPSTEXT_H
#define RING_RUNTIME_SIM_FLOPSTEXT_H

#include <string>

namespace ring::rt {

/// "0.268 GFLOP", "9.007 PFLOP".
std::string describeFlops(double flops);

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_FLOPSTEXT_H
