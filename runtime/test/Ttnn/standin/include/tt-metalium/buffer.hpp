// SPDX-License-Identifier: Apache-2.0
//
// Sharded memory, which no call of ours asks for.

#pragma once

namespace tt::tt_metal {

struct ShardSpec {
  ShardSpec() = delete;
};

} // namespace tt::tt_metal
