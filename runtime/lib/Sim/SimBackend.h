// SPDX-License-Identifier: Apache-2.0
//
// Predicts what a program would cost on a machine, without running it.

#ifndef RING_RUNTIME_SIM_SIMBACKEND_H
#define RING_RUNTIME_SIM_SIMBACKEND_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Takes no inputs and gives no outputs; nothing is computed.
class SimBackend final : public Backend {
public:
  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override;
};

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_SIMBACKEND_H
