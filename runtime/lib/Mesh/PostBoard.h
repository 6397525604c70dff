// SPDX-License-Identifier: Apache-2.0
//
// Where devices leave what others read. A post is a pointer to storage: nothing
// is copied until an op puts a result together.

#ifndef RING_RUNTIME_MESH_POSTBOARD_H
#define RING_RUNTIME_MESH_POSTBOARD_H

#include "Memory/Storage.h"

#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace ring::rt {

/// Posts by instruction and stream.
class PostBoard {
public:
  /// `wake` is called for a stream that waited for a post that has come.
  PostBoard(size_t instructions, int64_t streams,
            std::function<void(size_t)> wake);

  /// Leaves the operands of an instruction. `readers` streams will take them
  /// and the posts of the others; then all are dropped.
  void post(size_t instruction, int64_t stream,
            std::vector<StorageRef> operands, int64_t readers);

  /// The first of the sources, from `from` on, that has not posted yet, or
  /// their number if all have. If one is missing, `reader` is woken when it
  /// posts.
  size_t firstMissing(size_t instruction, const std::vector<int64_t> &sources,
                      size_t from, int64_t reader);

  /// Operand `i` of a stream that has posted.
  const StorageRef &get(size_t instruction, int64_t stream, size_t i) const {
    return (*slots[instruction]).operands[stream][i];
  }

  /// Says that a reader is done with an instruction's posts.
  void finishReading(size_t instruction);

private:
  struct Slot {
    std::vector<std::vector<StorageRef>> operands; ///< by stream
    std::vector<bool> posted;
    int64_t readers = 0;
    std::multimap<int64_t, int64_t> waiting; ///< source to reader
  };

  Slot &slotOf(size_t instruction);

  std::mutex mutex;
  std::vector<std::unique_ptr<Slot>> slots;
  int64_t streams;
  std::function<void(size_t)> wake;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_POSTBOARD_H
