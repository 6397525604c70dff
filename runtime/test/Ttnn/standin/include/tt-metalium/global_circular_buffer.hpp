// SPDX-License-Identifier: Apache-2.0
//
// A buffer that no call of ours asks for.

#pragma once

namespace tt::tt_metal::experimental {

class GlobalCircularBuffer {
public:
  GlobalCircularBuffer() = delete;
};

} // namespace tt::tt_metal::experimental
