// SPDX-License-Identifier: Apache-2.0
//
// The registers and settings of a core's unpacker, math unit and packer.

#ifndef RING_TILE_MATHUNIT_H
#define RING_TILE_MATHUNIT_H

#include "KernelApi.h"

#include "ring-runtime/DeviceProgram.h"

#include <array>
#include <optional>
#include <vector>

namespace ring::tile {

/// 32 x 32 numbers, row by row.
using TileNumbers = std::array<float, 1024>;

/// What the math unit was last prepared for.
struct MathSetting {
  enum class Op { None, Copy, Binary, Product, Maximum } op = Op::None;
  Binary binary = Binary::Add;
  Broadcast broadcast = Broadcast::None;
  bool transpose = false;
  uint32_t columns = 0, rows = 0, inner = 0;
};

struct MathUnit {
  explicit MathUnit(const rt::ComputeSettings &settings)
      : settings(settings), registers(settings.destinationTiles()),
        written(settings.destinationTiles()) {}

  rt::ComputeSettings settings;
  std::vector<TileNumbers> registers;
  std::vector<uint8_t> written; ///< since they were acquired
  enum class Owner { Nobody, Math, Committed, Packer } owner = Owner::Nobody;
  bool started = false;
  rt::TileFormat sourceA = rt::TileFormat::BF16;
  rt::TileFormat sourceB = rt::TileFormat::BF16;
  rt::TileFormat pack = rt::TileFormat::BF16;
  bool accumulate = false;
  /// Between the beginning and the end of maxima the packer keeps these alone.
  std::optional<Maxima> maxima;
  uint32_t maximumOf = 0; ///< the buffer whose maxima are taken
  /// The pack thread has told the vector unit to do something, and the packer
  /// has not waited for it.
  bool vectorsUnderWay = false;
  MathSetting setting;
  bool hasUnary = false;
  Unary unary = Unary::Exp;
};

} // namespace ring::tile

#endif // RING_TILE_MATHUNIT_H
