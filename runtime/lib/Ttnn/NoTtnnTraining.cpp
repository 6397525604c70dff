// SPDX-License-Identifier: Apache-2.0
//
// Stands in for tt-train's attention where the runtime is built without it.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

void addTtnnTraining(TtnnTable &table) {
  for (const char *op : {"sdpa_fw", "sdpa_bw"}) {
    auto refuse = [](const OpTypes &types) {
      return error("expects a runtime with tt-train for '",
                   types.instruction().op,
                   "', but this one was built without; point ",
                   "RING_TT_TRAIN_INCLUDE and RING_TT_TRAIN_LIBRARY to it, or ",
                   "compile with form=fused");
    };
    table[op].check = refuse;
  }
}

} // namespace ring::rt
