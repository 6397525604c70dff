// SPDX-License-Identifier: Apache-2.0

#include "Fiber.h"

#include <cstdint>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RING_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define RING_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define RING_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define RING_THREAD_SANITIZER 1
#endif

#ifdef RING_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef RING_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace ring::tile {

namespace {
#ifdef RING_ADDRESS_SANITIZER
constexpr size_t kStackBytes = 1024 * 1024;
#else
constexpr size_t kStackBytes = 256 * 1024;
#endif
} // namespace

Fiber::~Fiber() {
  if (stack)
    munmap(stack, kStackBytes);
#ifdef RING_THREAD_SANITIZER
  if (ownThread)
    __tsan_destroy_fiber(ownThread);
#endif
}

void Fiber::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>(uintptr_t{high} << 32 | low);
  fiber->arrived();
  fiber->entry(fiber->argument);
}

void Fiber::arrived() {
#ifdef RING_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(ownShadow, &ownerStack, &ownerSize);
#endif
}

void Fiber::start(Entry newEntry, void *newArgument) {
  entry = newEntry;
  argument = newArgument;
  if (!stack)
    stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ownShadow = nullptr;
#ifdef RING_THREAD_SANITIZER
  if (ownThread)
    __tsan_destroy_fiber(ownThread);
  ownThread = __tsan_create_fiber(0);
#endif
  getcontext(&own);
  own.uc_stack.ss_sp = stack;
  own.uc_stack.ss_size = kStackBytes;
  own.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&own, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
}

void Fiber::resume() {
#ifdef RING_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&ownerShadow, stack, kStackBytes);
#endif
#ifdef RING_THREAD_SANITIZER
  ownerThread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(ownThread, 0);
#endif
  swapcontext(&owner, &own);
#ifdef RING_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(ownerShadow, nullptr, nullptr);
#endif
}

void Fiber::leave(bool forGood) {
#ifdef RING_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(forGood ? nullptr : &ownShadow, ownerStack,
                                 ownerSize);
#else
  (void)forGood;
#endif
#ifdef RING_THREAD_SANITIZER
  __tsan_switch_to_fiber(ownerThread, 0);
#endif
  swapcontext(&own, &owner);
  arrived();
}

} // namespace ring::tile
