// SPDX-License-Identifier: Apache-2.0
//
// Programs on Tenstorrent devices, through tt-metal's host library. This header
// knows nothing of it, so that whoever asks for the backend need not.

#ifndef RING_RUNTIME_TTNN_TTNNBACKEND_H
#define RING_RUNTIME_TTNN_TTNNBACKEND_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Whether tt-metal was there when the runtime was built.
bool ttnnIsBuiltIn();

/// The backend, or how to get it where it was not built in.
Result<std::unique_ptr<Backend>> makeTtnnBackend();

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNBACKEND_H
