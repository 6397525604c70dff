// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the mpi backend where there is no MPI.

#include "Mpi/MpiBackend.h"

namespace ring::rt {

bool mpiIsBuiltIn() { return false; }

Result<std::unique_ptr<Backend>> makeMpiBackend() {
  return error("expects a runtime with MPI for the backend 'mpi', but this one "
               "was built without; install Open MPI (Debian: libopenmpi-dev "
               "and openmpi-bin), then configure with -DRING_ENABLE_MPI=ON "
               "and build again");
}

} // namespace ring::rt
