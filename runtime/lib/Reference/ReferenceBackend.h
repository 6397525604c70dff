// SPDX-License-Identifier: Apache-2.0
//
// Runs programs in f64, one device after the other.

#ifndef RING_RUNTIME_REFERENCE_REFERENCEBACKEND_H
#define RING_RUNTIME_REFERENCE_REFERENCEBACKEND_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// The oracle: slow, in double, independent of the kernels.
class ReferenceBackend final : public Backend {
public:
  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override;
};

} // namespace ring::rt

#endif // RING_RUNTIME_REFERENCE_REFERENCEBACKEND_H
