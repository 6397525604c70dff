// SPDX-License-Identifier: Apache-2.0
//
// The data movement API on the host: as much of it as our kernels use, with the
// device's names and signatures. Every call also takes the line that makes it.

#pragma once

#include "KernelApi.h"

#include <cstddef>
#include <cstdint>

// Qualifiers and types that the device's headers bring along.
#define tt_l1_ptr
enum class ProgrammableCoreType { TENSIX, ACTIVE_ETH, IDLE_ETH };
constexpr uint8_t noc_index = 0;

using ring::tile::At;

inline uint32_t get_compile_time_arg_val(uint32_t index,
                                         At at = {__builtin_FILE(),
                                                  __builtin_LINE()}) {
  return ring::tile::compileTimeArgument(index, at);
}
template <typename T>
T get_arg_val(int arg_idx, At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(sizeof(T) == 4, "arguments have four bytes");
  return static_cast<T>(ring::tile::runtimeArgument(arg_idx, at));
}
template <typename T>
T get_common_arg_val(int arg_idx,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(sizeof(T) == 4, "arguments have four bytes");
  return static_cast<T>(ring::tile::commonArgument(arg_idx, at));
}

inline void cb_reserve_back(int32_t operand, int32_t num_pages,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::reserveBack(operand, num_pages, at);
}
inline void cb_push_back(int32_t operand, int32_t num_pages,
                         At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::pushBack(operand, num_pages, at);
}
inline void cb_wait_front(int32_t operand, int32_t num_pages,
                          At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::waitFront(operand, num_pages, at);
}
inline void cb_pop_front(int32_t operand, int32_t num_pages,
                         At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::popFront(operand, num_pages, at);
}
inline uint32_t get_write_ptr(uint32_t operand,
                              At at = {__builtin_FILE(), __builtin_LINE()}) {
  return ring::tile::writePointer(operand, at);
}
inline uint32_t get_read_ptr(uint32_t operand,
                             At at = {__builtin_FILE(), __builtin_LINE()}) {
  return ring::tile::readPointer(operand, at);
}
inline int32_t get_tile_size(int32_t operand,
                             At at = {__builtin_FILE(), __builtin_LINE()}) {
  return static_cast<int32_t>(ring::tile::tileSize(operand, at));
}

/// Accessors of interleaved DRAM: two words of compile-time arguments.
template <std::size_t CTA_OFFSET>
struct TensorAccessorArgs {
  static constexpr uint32_t next_compile_time_args_offset() {
    return CTA_OFFSET + 2;
  }
};

struct TensorAccessor {
  template <std::size_t CTA_OFFSET>
  TensorAccessor(const TensorAccessorArgs<CTA_OFFSET> &,
                 size_t bank_base_address)
      : base(static_cast<uint32_t>(bank_base_address)) {}
  uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0,
                        uint8_t = noc_index,
                        At at = {__builtin_FILE(), __builtin_LINE()}) const {
    return ring::tile::dramAddress(base, page_id, offset, at);
  }

private:
  uint32_t base;
};

inline uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr,
                             uint8_t = noc_index,
                             At at = {__builtin_FILE(), __builtin_LINE()}) {
  return ring::tile::coreAddress(noc_x, noc_y, addr, at);
}
template <ProgrammableCoreType = ProgrammableCoreType::TENSIX>
inline uintptr_t get_semaphore(uint32_t semaphore_id,
                               At at = {__builtin_FILE(), __builtin_LINE()}) {
  return ring::tile::semaphoreAddress(semaphore_id, at);
}

inline void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr,
                           uint32_t size, uint8_t = noc_index,
                           At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::readAsync(src_noc_addr, dst_local_l1_addr, size, at);
}
inline void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr,
                            uint32_t size, uint8_t = noc_index,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::writeAsync(src_local_l1_addr, dst_noc_addr, size, at);
}
inline void noc_async_read_barrier(uint8_t = noc_index,
                                   At at = {__builtin_FILE(),
                                            __builtin_LINE()}) {
  ring::tile::barrier(ring::tile::Barrier::Reads, at);
}
inline void noc_async_write_barrier(uint8_t = noc_index,
                                    At at = {__builtin_FILE(),
                                             __builtin_LINE()}) {
  ring::tile::barrier(ring::tile::Barrier::Writes, at);
}
inline void noc_async_writes_flushed(uint8_t = noc_index,
                                     At at = {__builtin_FILE(),
                                              __builtin_LINE()}) {
  ring::tile::barrier(ring::tile::Barrier::WritesLeft, at);
}
inline void noc_async_atomic_barrier(uint8_t = noc_index,
                                     At at = {__builtin_FILE(),
                                              __builtin_LINE()}) {
  ring::tile::barrier(ring::tile::Barrier::Atomics, at);
}
inline void noc_async_full_barrier(uint8_t = noc_index,
                                   At at = {__builtin_FILE(),
                                            __builtin_LINE()}) {
  ring::tile::barrier(ring::tile::Barrier::All, at);
}

inline void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t = noc_index,
                              uint8_t = 0,
                              At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::raise(addr, incr, at);
}
inline void noc_semaphore_wait(volatile tt_l1_ptr uint32_t *sem_addr,
                               uint32_t val,
                               At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::waitCounter(sem_addr, val, false, at);
}
inline void
noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t *sem_addr, uint32_t val,
                       At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::waitCounter(sem_addr, val, true, at);
}
inline void noc_semaphore_set(volatile tt_l1_ptr uint32_t *sem_addr,
                              uint32_t val,
                              At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::setCounter(sem_addr, val, at);
}
inline void invalidate_l1_cache(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::poll(at);
}
