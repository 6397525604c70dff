// SPDX-License-Identifier: Apache-2.0
//
// What the headers under include/ call. Those have the names, paths and
// signatures of the device's kernel API; here is one function for each notion,
// on behalf of the task that runs.

#ifndef RING_TILE_KERNELAPI_H
#define RING_TILE_KERNELAPI_H

#include <cstdint>

namespace ring::tile {

/// The line of a kernel that makes a call. As a default argument
/// `At at = {__builtin_FILE(), __builtin_LINE()}` it is the caller's.
struct At {
  const char *file;
  int line;
};

// Arguments.
uint32_t compileTimeArgument(uint32_t index, At at);
uint32_t commonArgument(uint32_t index, At at);
uint32_t runtimeArgument(uint32_t index, At at);
void assertion(bool holds, const char *text, At at);

// Circular buffers.
void reserveBack(uint32_t buffer, uint32_t pages, At at);
void pushBack(uint32_t buffer, uint32_t pages, At at);
void waitFront(uint32_t buffer, uint32_t pages, At at);
void popFront(uint32_t buffer, uint32_t pages, At at);
uint32_t writePointer(uint32_t buffer, At at);
uint32_t readPointer(uint32_t buffer, At at);
uint32_t tileSize(uint32_t buffer, At at);
/// A word of a tile at the front, for a compute kernel to decide by.
uint32_t tileWord(uint32_t buffer, uint32_t tile, uint32_t word, At at);

// Addresses.
uint64_t dramAddress(uint32_t base, uint32_t page, uint32_t offset, At at);
uint64_t coreAddress(uint32_t x, uint32_t y, uint32_t address, At at);
uint32_t semaphoreAddress(uint32_t number, At at);

// Transactions and counters.
void readAsync(uint64_t source, uint32_t target, uint32_t bytes, At at);
void writeAsync(uint32_t source, uint64_t target, uint32_t bytes, At at);
void raise(uint64_t semaphore, uint32_t by, At at);
enum class Barrier { Reads, Writes, WritesLeft, Atomics, All };
void barrier(Barrier kind, At at);
void waitCounter(volatile uint32_t *counter, uint32_t value, bool atLeast,
                 At at);
void setCounter(volatile uint32_t *counter, uint32_t value, At at);
void poll(At at);

// The fabric.
uint32_t openedConnection(uint32_t argument, At at);
void openConnection(uint32_t connection, At at);
void closeConnection(uint32_t connection, At at);
bool hasPacketSpace(uint32_t connection, At at);
volatile void *packetHeader(At at);
struct Packet {
  uint32_t source = 0, bytes = 0; ///< none: only the counter is raised
  uint64_t target = 0, semaphore = 0;
  uint32_t by = 0;
  bool flush = false;
  uint32_t hops = 1;
};
void sendPacket(uint32_t connection, const volatile void *header,
                const Packet &packet, At at);

// The math unit.
enum class Binary { Add, Subtract, Multiply };
enum class Broadcast { None, Columns };
enum class Unary {
  Exp,
  ExpApproximate,
  Log,
  Reciprocal,
  Fill,
  Scalar,
  Max,
  AddTiles
};
void startMath(uint32_t sourceA, uint32_t sourceB, uint32_t out, At at);
void reconfigure(int32_t sourceA, int32_t sourceB, int32_t pack, At at);
void acquireRegisters(At at);
void commitRegisters(At at);
void waitRegisters(At at);
void releaseRegisters(At at);
void initCopy(uint32_t buffer, At at);
void copyTile(uint32_t buffer, uint32_t tile, uint32_t dst, At at);
void initBinary(Binary op, Broadcast broadcast, uint32_t a, uint32_t b, At at);
void binaryTiles(Binary op, Broadcast broadcast, uint32_t a, uint32_t b,
                 uint32_t tileA, uint32_t tileB, uint32_t dst, At at);
void initProduct(uint32_t a, uint32_t b, bool transpose, uint32_t columns,
                 uint32_t rows, uint32_t inner, At at);
void productBlock(uint32_t a, uint32_t b, uint32_t tileA, uint32_t tileB,
                  uint32_t dst, bool transpose, uint32_t columns, uint32_t rows,
                  uint32_t inner, At at);
/// Maxima of rows are left in the first column of a register, those of columns
/// in its first row.
enum class Maxima { OfRows, OfColumns };
void initMaximum(Maxima of, uint32_t buffer, uint32_t scaler, uint32_t out,
                 At at);
void endMaximum(uint32_t buffer, At at);
void maximumOfTile(Maxima of, uint32_t buffer, uint32_t scaler, uint32_t tile,
                   uint32_t scalerTile, uint32_t dst, At at);
/// The vector unit does what the math thread or the pack thread tells it, with
/// one setting for both.
enum class Thread { Math, Pack };
void initUnary(Unary op, At at, Thread thread = Thread::Math);
void unaryTile(Unary op, uint32_t dst, float number, At at,
               Thread thread = Thread::Math);
/// A thread waits. Only one way is known: the packer for the vector unit.
void stall(bool packerForVectors, At at);
void binaryRegisters(Unary op, uint32_t a, uint32_t b, uint32_t out, At at);
void packTile(uint32_t dst, uint32_t buffer, uint32_t tile, bool inOrder,
              At at);
void accumulateInL1(bool on, At at);

} // namespace ring::tile

#endif // RING_TILE_KERNELAPI_H
