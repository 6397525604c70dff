// SPDX-License-Identifier: Apache-2.0
//
// A mesh over the processes that mpirun starts. This header knows nothing of
// MPI, so that whoever asks for the backend need not.

#ifndef RING_RUNTIME_MPI_MPIBACKEND_H
#define RING_RUNTIME_MPI_MPIBACKEND_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// Whether MPI was there when the runtime was built.
bool mpiIsBuiltIn();

/// The backend, or how to get it where it was not built in. Joins the other
/// ranks: all must make it at about the same time.
Result<std::unique_ptr<Backend>> makeMpiBackend();

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_MPIBACKEND_H
