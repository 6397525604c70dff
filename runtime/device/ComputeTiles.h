// SPDX-License-Identifier: Apache-2.0
//
// What a compute kernel does with tiles, whatever they mean: products, copies
// and factors through the registers, in groups that fit them. Included behind
// the headers of the compute API.

#ifndef RING_DEVICE_COMPUTETILES_H
#define RING_DEVICE_COMPUTETILES_H

#include <cstdint>

/// Code and stack of a processor are small: what is used in several places, or
/// needs much of them, is a function of its own there.
#define NOT_INLINED __attribute__((noinline))

inline uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Hands the registers from the math thread to the packer.
inline void handOver() {
  tile_regs_commit();
  tile_regs_wait();
}

inline void startPacking(uint32_t buffer) {
  handOver();
  pack_reconfig_data_format(buffer);
}

/// Packs `count` registers to consecutive tiles of reserved pages, in the
/// format that is set, and gives the registers back.
NOT_INLINED inline void finishPacking(uint32_t buffer, uint32_t firstTile,
                                      uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    pack_tile<true>(i, buffer, firstTile + i);
  tile_regs_release();
}

inline void packTiles(uint32_t buffer, uint32_t firstTile, uint32_t count) {
  startPacking(buffer);
  finishPacking(buffer, firstTile, count);
}

/// Some rows and columns of tiles.
struct Block {
  uint32_t row, column, rows, columns;
};

/// Calls `visit(block)` for blocks of at most `blockRows` x `blockColumns`, row
/// by row.
template <typename Visit>
void forBlocks(uint32_t rows, uint32_t columns, uint32_t blockRows,
               uint32_t blockColumns, Visit visit) {
  for (uint32_t r = 0; r < rows; r += blockRows)
    for (uint32_t c = 0; c < columns; c += blockColumns)
      visit(Block{r, c, lesser(blockRows, rows - r),
                  lesser(blockColumns, columns - c)});
}

/// Packs the registers of a block into rows of `stride` tiles, in the format
/// that is set, and gives them back.
NOT_INLINED inline void finishPacking(uint32_t buffer, const Block &block,
                                      uint32_t stride) {
  for (uint32_t r = 0; r < block.rows; ++r)
    for (uint32_t c = 0; c < block.columns; ++c)
      pack_tile<true>(r * block.columns + c, buffer,
                      (block.row + r) * stride + block.column + c);
  tile_regs_release();
}

/// a (rows x inner) times b (inner x columns, rows of `bStride` tiles), packed
/// into rows of `outStride` tiles, in blocks that fit the registers.
NOT_INLINED inline void multiply(uint32_t a, uint32_t b, uint32_t out,
                                 uint32_t rows, uint32_t columns,
                                 uint32_t inner, uint32_t aStride,
                                 uint32_t bStride, uint32_t outStride,
                                 uint32_t blockRows, uint32_t blockColumns) {
  reconfig_data_format(b, a);
  forBlocks(rows, columns, blockRows, blockColumns, [&](const Block &block) {
    matmul_block_init(a, b, 0, block.columns, block.rows, aStride);
    tile_regs_acquire();
    for (uint32_t k = 0; k < inner; ++k)
      matmul_block(a, b, block.row * aStride + k, k * bStride + block.column, 0,
                   0, block.columns, block.rows, aStride);
    startPacking(out);
    finishPacking(out, block, outStride);
  });
}

/// Tiles of `from`, rows of `width`, times a factor for each row, to `to`.
NOT_INLINED inline void scaleRows(uint32_t from, uint32_t factors, uint32_t to,
                                  uint32_t rows, uint32_t width,
                                  uint32_t registers) {
  reconfig_data_format(from, factors);
  mul_bcast_cols_init(from, factors);
  const uint32_t tiles = rows * width;
  for (uint32_t tile = 0; tile < tiles; tile += registers) {
    const uint32_t count = lesser(registers, tiles - tile);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      mul_tiles_bcast_cols(from, factors, tile + i, (tile + i) / width, i);
    packTiles(to, tile, count);
  }
}

/// Copies tiles through the registers; `change(count)` may change them there.
template <typename Change>
void copyTiles(uint32_t from, uint32_t to, uint32_t tiles, uint32_t registers,
               Change change) {
  reconfig_data_format_srca(from);
  copy_tile_init(from);
  for (uint32_t tile = 0; tile < tiles; tile += registers) {
    const uint32_t count = lesser(registers, tiles - tile);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      copy_tile(from, tile + i, i);
    change(count);
    packTiles(to, tile, count);
  }
}

NOT_INLINED inline void copyTiles(uint32_t from, uint32_t to, uint32_t tiles,
                                  uint32_t registers) {
  copyTiles(from, to, tiles, registers, [](uint32_t) {});
}

/// Makes what is at the front of a buffer with room for one group its back:
/// giving the group up and reserving it again yields the same pages with what
/// they hold, and packing can add onto them.
inline void reopen(uint32_t buffer, uint32_t group) {
  cb_wait_front(buffer, group);
  cb_pop_front(buffer, group);
  cb_reserve_back(buffer, group);
}

/// Multiplies the first `count` registers.
NOT_INLINED inline void scaleRegisters(uint32_t count, uint32_t factorBits) {
  constexpr uint32_t kOne = 0x3f800000;
  if (factorBits == kOne)
    return;
  binop_with_scalar_tile_init();
  for (uint32_t i = 0; i < count; ++i)
    mul_unary_tile(i, factorBits);
}

#endif // RING_DEVICE_COMPUTETILES_H
