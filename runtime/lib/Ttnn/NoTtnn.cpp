// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the ttnn backend where there is no tt-metal.

#include "Ttnn/TtnnBackend.h"

namespace ring::rt {

bool ttnnIsBuiltIn() { return false; }

Result<std::unique_ptr<Backend>> makeTtnnBackend() {
  return error("expects a runtime with tt-metal for the backend 'ttnn', but "
               "this one was built without; install TT-NN, configure with "
               "-DRING_ENABLE_TTNN=ON and its prefix in CMAKE_PREFIX_PATH, "
               "and build again");
}

} // namespace ring::rt
