// SPDX-License-Identifier: Apache-2.0
//
// Buffers and waits. The executor gives them their meaning; here they are only
// checked.

#include "Ops/Op.h"

namespace ring::rt {

void registerScheduleOps(OpTable &table) {
  Op buffer;
  buffer.name = "ring.buffer";
  buffer.signature.inputs = {0, 0};
  buffer.role = Op::Role::Buffer;
  buffer.signature.verify = [](const OpTypes &types) {
    if (types.output(0)->kind != ValueKind::Buffer ||
        types.output(0)->placement != Placement::Local)
      return error("expects a local buffer, but got ",
                   describe(*types.output(0)));
    return Status::success();
  };
  table.add(std::move(buffer));

  Op wait;
  wait.name = "ring.wait";
  wait.signature.outputs.most = kVariadic;
  wait.role = Op::Role::Wait;
  wait.signature.verify = [](const OpTypes &types) {
    if (types.input(0)->kind != ValueKind::Token)
      return error("expects a token, but got ", describe(*types.input(0)));
    return Status::success();
  };
  table.add(std::move(wait));
}

} // namespace ring::rt
