// SPDX-License-Identifier: Apache-2.0
//
// A stack of its own for a function that is left and resumed.

#ifndef RING_TILE_FIBER_H
#define RING_TILE_FIBER_H

#include <cstddef>
#include <memory>

#include <ucontext.h>

namespace ring::tile {

class Fiber {
public:
  using Entry = void (*)(void *);

  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;
  ~Fiber();

  /// Starts anew: the next `resume` calls entry(argument), which must not
  /// return but end in `leave(true)`.
  void start(Entry entry, void *argument);
  /// Goes on with the function until it leaves. From the owner's stack.
  void resume();
  /// Goes back to the owner. From the fiber's stack; `forGood` if it is never
  /// resumed.
  void leave(bool forGood = false);

private:
  static void enter(unsigned low, unsigned high);
  void arrived();

  ucontext_t own, owner;
  Entry entry = nullptr;
  void *argument = nullptr;
  void *stack = nullptr;
  // What sanitizers keep of a stack that is left.
  [[maybe_unused]] void *ownShadow = nullptr, *ownerShadow = nullptr;
  [[maybe_unused]] void *ownThread = nullptr, *ownerThread = nullptr;
  [[maybe_unused]] const void *ownerStack = nullptr;
  [[maybe_unused]] size_t ownerSize = 0;
};

} // namespace ring::tile

#endif // RING_TILE_FIBER_H
