// SPDX-License-Identifier: Apache-2.0
//
// What a mesh asks of whoever connects it with the rest of a larger one: a
// process runs some of the streams, and the posts of the others are carried to
// it.

#ifndef RING_RUNTIME_MESH_POSTCARRIER_H
#define RING_RUNTIME_MESH_POSTCARRIER_H

#include "Memory/Storage.h"
#include "ring-runtime/Status.h"

#include <functional>
#include <vector>

namespace ring::rt {

/// Carries posts between processes. All calls may come from any thread, and
/// none of them waits for another process.
class PostCarrier {
public:
  /// Takes what stream `source` of another process posted.
  using Deliver = std::function<void(size_t instruction, int64_t source,
                                     std::vector<StorageRef> operands)>;

  virtual ~PostCarrier() = default;

  /// Says where arrivals go. Called once, before anything is sent.
  virtual void deliverTo(Deliver deliver) = 0;
  /// Sends what a stream of this process posts to the processes that read it.
  virtual void send(size_t instruction, int64_t stream,
                    const std::vector<StorageRef> &operands) = 0;
  /// Makes room for what a stream of this process is going to read of
  /// `source`. Does nothing the second time, or if `source` is in this process.
  virtual Status expect(size_t instruction, int64_t source) = 0;
  /// Moves transfers on and delivers what has arrived. Cheap: called between
  /// instructions and between the work items of kernels.
  virtual void poll() = 0;
  /// Whether something is expected that has not been delivered yet.
  virtual bool expectsMore() const = 0;
  /// Fails once another process cannot go on, so that this one must not wait.
  virtual Status failure() const = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_POSTCARRIER_H
