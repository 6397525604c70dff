// SPDX-License-Identifier: Apache-2.0
//
// Arguments, buffers and registers of a compute kernel, on the host.

#pragma once

#include "KernelApi.h"

using ring::tile::At;

// What one of the three threads does alone; here one task is all of them.
#define PACK(...) __VA_ARGS__

/// What a thread is held up at, and until when.
struct p_stall {
  static constexpr uint32_t STALL_PACK = 0x4;
  static constexpr uint32_t WAIT_SFPU = 0x4000;
};

// A macro on the device, so that lines are those of kernels.
#define TTI_STALLWAIT(stall_res, wait_res)                                     \
  ring::tile::stall((stall_res) == p_stall::STALL_PACK &&                      \
                        (wait_res) == p_stall::WAIT_SFPU,                      \
                    {__FILE__, __LINE__})

inline uint32_t get_compile_time_arg_val(uint32_t index,
                                         At at = {__builtin_FILE(),
                                                  __builtin_LINE()}) {
  return ring::tile::compileTimeArgument(index, at);
}

template <typename T>
inline T get_arg_val(int arg_idx,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(sizeof(T) == 4, "arguments have four bytes");
  return static_cast<T>(ring::tile::runtimeArgument(arg_idx, at));
}

template <typename T>
inline T get_common_arg_val(int arg_idx,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(sizeof(T) == 4, "arguments have four bytes");
  return static_cast<T>(ring::tile::commonArgument(arg_idx, at));
}

inline void cb_wait_front(uint32_t cbid, uint32_t ntiles,
                          At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::waitFront(cbid, ntiles, at);
}

inline void cb_pop_front(uint32_t cbid, uint32_t ntiles,
                         At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::popFront(cbid, ntiles, at);
}

inline void cb_reserve_back(uint32_t cbid, uint32_t ntiles,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::reserveBack(cbid, ntiles, at);
}

inline void cb_push_back(uint32_t cbid, uint32_t ntiles,
                         At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::pushBack(cbid, ntiles, at);
}

inline uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index,
                                uint32_t element_offset,
                                At at = {__builtin_FILE(), __builtin_LINE()}) {
  return ring::tile::tileWord(cb_id, tile_index, element_offset, at);
}

inline void tile_regs_acquire(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::acquireRegisters(at);
}

inline void tile_regs_commit(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::commitRegisters(at);
}

inline void tile_regs_wait(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::waitRegisters(at);
}

inline void tile_regs_release(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::releaseRegisters(at);
}

inline void reconfig_data_format(uint32_t icb0_new_operand,
                                 uint32_t icb1_new_operand,
                                 At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::reconfigure(icb0_new_operand, icb1_new_operand, -1, at);
}

inline void reconfig_data_format_srca(uint32_t srca_new_operand,
                                      At at = {__builtin_FILE(),
                                               __builtin_LINE()}) {
  ring::tile::reconfigure(srca_new_operand, -1, -1, at);
}

inline void pack_reconfig_data_format(uint32_t new_cb_id,
                                      At at = {__builtin_FILE(),
                                               __builtin_LINE()}) {
  ring::tile::reconfigure(-1, -1, new_cb_id, at);
}
