// SPDX-License-Identifier: Apache-2.0
//
// The compute half of the kernel API. Unpacker, math unit and packer run one
// after the other here, call by call; on a device they run side by side. What
// the order of calls must guarantee for that is checked: tiles are waited for
// before they are read and reserved before they are packed, registers are
// acquired, committed, waited for and released, formats are set before they are
// used, and the unit is prepared for what it is asked to do.
//
// Products are exact and sums f32: the phases of a lower fidelity are not
// modelled. The exponential is that of the host, the approximate one a straight
// line between powers of two, off by up to 3 %.

#include "Machine.h"
#include "TileNumbers.h"

namespace ring::tile {

namespace {

MathUnit &unit(At at) {
  Machine &host = machine();
  if (!host.task().math)
    host.fail("expects a compute kernel", at);
  return *host.task().math;
}

/// The unit while math owns the registers.
MathUnit &mathUnit(At at) {
  MathUnit &math = unit(at);
  if (!math.started)
    machine().fail("expects compute_kernel_hw_startup before anything else",
                   at);
  if (math.owner != MathUnit::Owner::Math)
    machine().fail("uses registers that are not acquired", at);
  return math;
}

TileNumbers &registerOf(MathUnit &math, uint32_t index, At at) {
  if (index >= math.registers.size())
    machine().fail("expects a register below " +
                       std::to_string(math.registers.size()) + ", but got " +
                       std::to_string(index),
                   at);
  return math.registers[index];
}

/// A register that must hold something.
TileNumbers &writtenRegister(MathUnit &math, uint32_t index, At at) {
  TileNumbers &tile = registerOf(math, index, at);
  if (!math.written[index])
    machine().fail("reads register " + std::to_string(index) +
                       ", which was not written since it was acquired",
                   at);
  return tile;
}

/// What is written is rounded to the registers' format.
void keep(MathUnit &math, uint32_t index) {
  math.written[index] = 1;
  if (!math.settings.f32Destination)
    for (float &number : math.registers[index])
      number = numberOf(uint32_t{roundToBf16(number)} << 16);
}

void checkReadable(uint32_t index, uint32_t tile, At at) {
  Machine &host = machine();
  const BufferState &buffer = host.bufferOf(index, at);
  if (tile >= buffer.waited)
    host.fail("reads tile " + std::to_string(tile) + " of circular buffer " +
                  std::to_string(index) + ", but has waited for " +
                  std::to_string(buffer.waited),
              at);
  if (!buffer.written[(buffer.popped + tile) % buffer.pages])
    host.fail("reads tile " + std::to_string(tile) + " of circular buffer " +
                  std::to_string(index) + ", which nobody has written",
              at);
}

void unpack(uint32_t index, uint32_t tile, TileFormat source, TileNumbers &out,
            At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  checkReadable(index, tile, at);
  if (source != buffer.format)
    host.fail("reads circular buffer " + std::to_string(index) +
                  " with the format of another: reconfig_data_format is "
                  "missing",
              at);
  const uint32_t page = (buffer.popped + tile) % buffer.pages;
  unpackTile(host.core().l1 + buffer.base + page * buffer.pageBytes(),
             buffer.format, out);
  ++host.counters().unpacks;
}

void expectSetting(const MathUnit &math, MathSetting::Op op, At at) {
  if (math.setting.op != op)
    machine().fail("uses the math unit, which was last initialised for "
                   "something else",
                   at);
}

/// out += a b, or a b^T.
void addProduct(const TileNumbers &a, const TileNumbers &b, bool transpose,
                TileNumbers &out) {
  TileNumbers turned;
  if (transpose)
    for (uint32_t i = 0; i < 32; ++i)
      for (uint32_t j = 0; j < 32; ++j)
        turned[32 * j + i] = b[32 * i + j];
  const float *right = transpose ? turned.data() : b.data();
  for (uint32_t i = 0; i < 32; ++i) {
    float sums[32];
    float *row = out.data() + 32 * i;
    for (uint32_t j = 0; j < 32; ++j)
      sums[j] = row[j];
    for (uint32_t k = 0; k < 32; ++k) {
      const float factor = a[32 * i + k];
      for (uint32_t j = 0; j < 32; ++j)
        sums[j] += factor * right[32 * k + j];
    }
    for (uint32_t j = 0; j < 32; ++j)
      row[j] = sums[j];
  }
}

/// 2^x with a straight line between whole x, lowered so that its error is as
/// large below as above.
float approximateExp(float x) {
  const float power = x * 1.44269504f;
  if (power < -126)
    return 0;
  if (power >= 128)
    return std::numeric_limits<float>::infinity();
  const float whole = std::floor(power);
  return std::ldexp(0.97f * (1 + power - whole), static_cast<int>(whole));
}

} // namespace

void startMath(uint32_t sourceA, uint32_t sourceB, uint32_t out, At at) {
  Machine &host = machine();
  MathUnit &math = unit(at);
  math.started = true;
  math.sourceA = host.bufferOf(sourceA, at).format;
  math.sourceB = host.bufferOf(sourceB, at).format;
  math.pack = host.bufferOf(out, at).format;
}

void reconfigure(int32_t sourceA, int32_t sourceB, int32_t pack, At at) {
  Machine &host = machine();
  MathUnit &math = unit(at);
  if (sourceA >= 0)
    math.sourceA = host.bufferOf(sourceA, at).format;
  if (sourceB >= 0)
    math.sourceB = host.bufferOf(sourceB, at).format;
  if (pack < 0)
    return;
  if (math.maxima)
    host.fail("sets the packer's format while it leaves out numbers: "
              "reduce_uninit is missing",
              at);
  math.pack = host.bufferOf(pack, at).format;
}

void acquireRegisters(At at) {
  MathUnit &math = unit(at);
  if (math.owner != MathUnit::Owner::Nobody)
    machine().fail("acquires registers that were not released", at);
  math.owner = MathUnit::Owner::Math;
  for (size_t i = 0; i < math.registers.size(); ++i) {
    math.registers[i].fill(0);
    math.written[i] = 0;
  }
}

void commitRegisters(At at) { mathUnit(at).owner = MathUnit::Owner::Committed; }

void waitRegisters(At at) {
  MathUnit &math = unit(at);
  if (math.owner != MathUnit::Owner::Committed)
    machine().fail("waits for registers that were not committed", at);
  math.owner = MathUnit::Owner::Packer;
}

void releaseRegisters(At at) {
  MathUnit &math = unit(at);
  if (math.owner != MathUnit::Owner::Packer)
    machine().fail("releases registers that the packer has not waited for", at);
  math.owner = MathUnit::Owner::Nobody;
  machine().mayYield(at);
}

void initCopy(uint32_t buffer, At at) {
  machine().bufferOf(buffer, at);
  unit(at).setting = {};
  unit(at).setting.op = MathSetting::Op::Copy;
}

void copyTile(uint32_t buffer, uint32_t tile, uint32_t dst, At at) {
  MathUnit &math = mathUnit(at);
  expectSetting(math, MathSetting::Op::Copy, at);
  unpack(buffer, tile, math.sourceA, registerOf(math, dst, at), at);
  keep(math, dst);
  ++machine().counters().tileOperations;
}

void initBinary(Binary op, Broadcast broadcast, uint32_t a, uint32_t b, At at) {
  machine().bufferOf(a, at);
  machine().bufferOf(b, at);
  MathSetting &setting = unit(at).setting;
  setting = {};
  setting.op = MathSetting::Op::Binary;
  setting.binary = op;
  setting.broadcast = broadcast;
}

void binaryTiles(Binary op, Broadcast broadcast, uint32_t a, uint32_t b,
                 uint32_t tileA, uint32_t tileB, uint32_t dst, At at) {
  MathUnit &math = mathUnit(at);
  expectSetting(math, MathSetting::Op::Binary, at);
  if (math.setting.binary != op || math.setting.broadcast != broadcast)
    machine().fail("uses the math unit, which was last initialised for "
                   "another operation",
                   at);
  TileNumbers left, right;
  unpack(a, tileA, math.sourceA, left, at);
  unpack(b, tileB, math.sourceB, right, at);
  TileNumbers &out = registerOf(math, dst, at);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 32; ++j) {
      const float x = left[32 * i + j];
      const float y = right[32 * i + (broadcast == Broadcast::Columns ? 0 : j)];
      out[32 * i + j] = op == Binary::Add        ? x + y
                        : op == Binary::Subtract ? x - y
                                                 : x * y;
    }
  keep(math, dst);
  ++machine().counters().tileOperations;
}

void initProduct(uint32_t a, uint32_t b, bool transpose, uint32_t columns,
                 uint32_t rows, uint32_t inner, At at) {
  machine().bufferOf(a, at);
  machine().bufferOf(b, at);
  unit(at).setting = {MathSetting::Op::Product,
                      Binary::Add,
                      Broadcast::None,
                      transpose,
                      columns,
                      rows,
                      inner};
}

void productBlock(uint32_t a, uint32_t b, uint32_t tileA, uint32_t tileB,
                  uint32_t dst, bool transpose, uint32_t columns, uint32_t rows,
                  uint32_t inner, At at) {
  MathUnit &math = mathUnit(at);
  expectSetting(math, MathSetting::Op::Product, at);
  const MathSetting &setting = math.setting;
  if (setting.transpose != transpose || setting.columns != columns ||
      setting.rows != rows || setting.inner != inner)
    machine().fail("multiplies blocks of another shape than "
                   "matmul_block_init was told",
                   at);
  std::vector<TileNumbers> right(columns);
  for (uint32_t c = 0; c < columns; ++c)
    unpack(b, tileB + c, math.sourceA, right[c], at);
  TileNumbers left;
  for (uint32_t r = 0; r < rows; ++r) {
    unpack(a, tileA + r * inner, math.sourceB, left, at);
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t index = dst + r * columns + c;
      addProduct(left, right[c], transpose, registerOf(math, index, at));
      keep(math, index);
      ++machine().counters().tileProducts;
    }
  }
}

void initMaximum(Maxima of, uint32_t buffer, uint32_t scaler, uint32_t out,
                 At at) {
  machine().bufferOf(buffer, at);
  machine().bufferOf(scaler, at);
  machine().bufferOf(out, at);
  MathUnit &math = unit(at);
  math.setting = {};
  math.setting.op = MathSetting::Op::Maximum;
  math.maxima = of;
  math.maximumOf = buffer;
}

void endMaximum(uint32_t buffer, At at) {
  MathUnit &math = unit(at);
  if (math.maxima && math.maximumOf != buffer)
    machine().fail("ends the maxima of circular buffer " +
                       std::to_string(buffer) + ", but began those of " +
                       std::to_string(math.maximumOf),
                   at);
  math.maxima.reset();
}

void maximumOfTile(Maxima of, uint32_t buffer, uint32_t scaler, uint32_t tile,
                   uint32_t scalerTile, uint32_t dst, At at) {
  MathUnit &math = mathUnit(at);
  expectSetting(math, MathSetting::Op::Maximum, at);
  if (math.maxima != of)
    machine().fail("takes maxima of rows for those of columns, or the reverse",
                   at);
  TileNumbers numbers, factors;
  unpack(buffer, tile, math.sourceA, numbers, at);
  unpack(scaler, scalerTile, math.sourceB, factors, at);
  TileNumbers &out = registerOf(math, dst, at);
  // Along a line by `step` numbers, from line to line by `next`.
  const uint32_t step = of == Maxima::OfRows ? 1 : 32, next = 33 - step;
  for (uint32_t line = 0; line < 32; ++line) {
    float &most = out[next * line];
    if (!math.written[dst])
      most = -INFINITY;
    for (uint32_t i = 0; i < 32; ++i) {
      const float number = numbers[next * line + step * i] * factors[0];
      most = std::isnan(number) ? INFINITY : std::max(most, number);
    }
  }
  keep(math, dst);
  ++machine().counters().tileOperations;
}

namespace {

/// The unit while a thread that uses the vector unit owns the registers.
MathUnit &vectorUnit(Thread thread, At at) {
  if (thread == Thread::Math)
    return mathUnit(at);
  MathUnit &math = unit(at);
  if (math.owner != MathUnit::Owner::Packer)
    machine().fail("uses registers on the pack thread that it has not waited "
                   "for",
                   at);
  math.vectorsUnderWay = true;
  return math;
}

} // namespace

void stall(bool packerForVectors, At at) {
  if (!packerForVectors)
    machine().fail("expects the packer to wait for the vector unit", at);
  unit(at).vectorsUnderWay = false;
}

void initUnary(Unary op, At at, Thread thread) {
  // On the pack thread it is prepared between waiting and releasing alone:
  // before that the math thread may be using it.
  MathUnit &math = thread == Thread::Pack ? vectorUnit(thread, at) : unit(at);
  math.hasUnary = true;
  math.unary = op;
}

void unaryTile(Unary op, uint32_t dst, float number, At at, Thread thread) {
  MathUnit &math = vectorUnit(thread, at);
  if (!math.hasUnary || math.unary != op)
    machine().fail("uses the vector unit, which was last initialised for "
                   "something else",
                   at);
  TileNumbers &tile = op == Unary::Fill ? registerOf(math, dst, at)
                                        : writtenRegister(math, dst, at);
  for (float &x : tile)
    switch (op) {
    case Unary::Exp:
      x = std::exp(x);
      break;
    case Unary::ExpApproximate:
      x = approximateExp(x);
      break;
    case Unary::Log:
      x = std::log(x);
      break;
    case Unary::Reciprocal:
      x = 1 / x;
      break;
    case Unary::Fill:
      x = number;
      break;
    case Unary::Scalar:
      x *= number;
      break;
    case Unary::Max:
    case Unary::AddTiles:
      break;
    }
  if (op == Unary::Exp || op == Unary::ExpApproximate)
    ++machine().counters().exponentialTiles;
  else
    ++machine().counters().tileOperations;
  keep(math, dst);
}

void binaryRegisters(Unary op, uint32_t a, uint32_t b, uint32_t out, At at) {
  MathUnit &math = mathUnit(at);
  if (!math.hasUnary || math.unary != op)
    machine().fail("uses the vector unit, which was last initialised for "
                   "something else",
                   at);
  const TileNumbers &left = writtenRegister(math, a, at);
  const TileNumbers &right = writtenRegister(math, b, at);
  TileNumbers &target = registerOf(math, out, at);
  for (uint32_t i = 0; i < 1024; ++i)
    target[i] =
        op == Unary::Max ? std::max(left[i], right[i]) : left[i] + right[i];
  keep(math, out);
  ++machine().counters().tileOperations;
}

void packTile(uint32_t dst, uint32_t index, uint32_t tile, bool inOrder,
              At at) {
  Machine &host = machine();
  MathUnit &math = unit(at);
  if (math.owner != MathUnit::Owner::Packer)
    host.fail("packs registers that the packer has not waited for", at);
  if (math.vectorsUnderWay)
    host.fail("packs registers that the vector unit may still be changing: a "
              "stall of the packer is missing",
              at);
  if (inOrder)
    host.fail("expects tiles to be packed to a place that is named", at);
  BufferState &buffer = host.bufferOf(index, at);
  if (tile >= buffer.reserved)
    host.fail("packs tile " + std::to_string(tile) + " of circular buffer " +
                  std::to_string(index) + ", but has reserved " +
                  std::to_string(buffer.reserved),
              at);
  if (math.pack != buffer.format)
    host.fail("packs to circular buffer " + std::to_string(index) +
                  " with the format of another: pack_reconfig_data_format is "
                  "missing",
              at);
  TileNumbers masked = writtenRegister(math, dst, at);
  if (math.maxima)
    for (uint32_t i = 0; i < 1024; ++i)
      if (math.maxima == Maxima::OfRows ? i % 32 : i / 32)
        masked[i] = 0;
  const uint32_t page = (buffer.pushed + tile) % buffer.pages;
  if (math.accumulate && !buffer.written[page])
    host.fail("adds onto tile " + std::to_string(tile) +
                  " of circular buffer " + std::to_string(index) +
                  ", which nobody has written",
              at);
  packNumbers(masked, buffer.format, math.accumulate,
              host.core().l1 + buffer.base + page * buffer.pageBytes());
  buffer.written[page] = 1;
  (math.accumulate ? host.counters().addedBytes
                   : host.counters().packedBytes) += buffer.pageBytes();
}

uint32_t tileWord(uint32_t index, uint32_t tile, uint32_t word, At at) {
  Machine &host = machine();
  checkReadable(index, tile, at);
  const BufferState &buffer = host.bufferOf(index, at);
  if (4 * word >= buffer.pageBytes())
    host.fail("reads word " + std::to_string(word) + " of a tile of " +
                  std::to_string(buffer.pageBytes()) + " bytes",
              at);
  const uint32_t page = (buffer.popped + tile) % buffer.pages;
  uint32_t value;
  std::memcpy(&value,
              host.core().l1 + buffer.base + page * buffer.pageBytes() +
                  4 * word,
              sizeof(value));
  return value;
}

void accumulateInL1(bool on, At at) { unit(at).accumulate = on; }

} // namespace ring::tile
