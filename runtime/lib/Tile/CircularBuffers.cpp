// SPDX-License-Identifier: Apache-2.0
//
// Circular buffers: who may touch which pages when.

#include "Machine.h"

#include <cstring>
#include <sstream>

namespace ring::tile {

BufferState &Machine::bufferOf(uint32_t index, At at) {
  Core &own = core();
  if (index >= own.buffers.size() || !own.buffers[index].present)
    fail("expects a circular buffer of the core, but got number " +
             std::to_string(index),
         at);
  return own.buffers[index];
}

namespace {

std::string pagesText(uint32_t pages) {
  return std::to_string(pages) + (pages == 1 ? " page" : " pages");
}

void checkGroup(Machine &host, uint32_t index, const BufferState &buffer,
                uint32_t first, uint32_t pages, const char *verb, At at) {
  if (pages > buffer.pages)
    host.fail(std::string(verb) + " " + pagesText(pages) +
                  " of circular buffer " + std::to_string(index) +
                  ", which has " + std::to_string(buffer.pages),
              at);
  if (first % buffer.pages + pages > buffer.pages)
    host.fail(std::string(verb) + " " + pagesText(pages) +
                  " of circular buffer " + std::to_string(index) +
                  " that wrap round its end",
              at);
}

} // namespace

void reserveBack(uint32_t index, uint32_t pages, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  checkGroup(host, index, buffer, buffer.pushed, pages, "reserves", at);
  host.waitUntil(
      pagesText(pages) + " of room in circular buffer " + std::to_string(index),
      at, [&buffer, pages] {
        return buffer.pages - (buffer.pushed - buffer.popped) >= pages;
      });
  host.task().clock.join(buffer.consumer);
  for (; buffer.reserved < pages; ++buffer.reserved) {
    if (buffer.inPlace)
      continue;
    const uint32_t page = (buffer.pushed + buffer.reserved) % buffer.pages;
    buffer.written[page] = 0;
    std::memset(host.core().l1 + buffer.base + page * buffer.pageBytes(), 0xff,
                buffer.pageBytes());
  }
}

void pushBack(uint32_t index, uint32_t pages, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  if (pages > buffer.reserved)
    host.fail("pushes " + pagesText(pages) + " of circular buffer " +
                  std::to_string(index) + ", but has reserved " +
                  std::to_string(buffer.reserved),
              at);
  const uint32_t bytes = buffer.pageBytes();
  for (uint32_t i = 0; i < pages; ++i) {
    const uint32_t page = (buffer.pushed + i) % buffer.pages;
    const uint32_t offset = buffer.base + page * bytes;
    if (const Transaction *read =
            host.pendingOn(host.core().base() + offset, bytes, true))
      host.fail("pushes a page of circular buffer " + std::to_string(index) +
                    " that the read of line " + std::to_string(read->at.line) +
                    " has not yet filled",
                at);
    // What a kernel stored by itself shows only in the bytes.
    const uint8_t *content = host.core().l1 + offset;
    for (uint32_t byte = 0; !buffer.written[page] && byte < bytes; ++byte)
      buffer.written[page] = content[byte] != 0xff;
  }
  buffer.pushed += pages;
  buffer.reserved -= pages;
  buffer.producer.join(host.task().clock);
  host.mayYield(at);
}

void waitFront(uint32_t index, uint32_t pages, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  checkGroup(host, index, buffer, buffer.popped, pages, "waits for", at);
  host.waitUntil(
      pagesText(pages) + " in circular buffer " + std::to_string(index), at,
      [&buffer, pages] { return buffer.pushed - buffer.popped >= pages; });
  host.task().clock.join(buffer.producer);
  buffer.waited = std::max(buffer.waited, pages);
}

void popFront(uint32_t index, uint32_t pages, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  if (pages > buffer.waited)
    host.fail("pops " + pagesText(pages) + " of circular buffer " +
                  std::to_string(index) + ", but has waited for " +
                  std::to_string(buffer.waited),
              at);
  const uint32_t bytes = buffer.pageBytes();
  for (uint32_t i = 0; i < pages; ++i) {
    const uint32_t page = (buffer.popped + i) % buffer.pages;
    if (const Transaction *write = host.pendingOn(
            host.core().base() + buffer.base + page * bytes, bytes, false))
      host.fail("pops a page of circular buffer " + std::to_string(index) +
                    " that the write of line " +
                    std::to_string(write->at.line) + " has not yet taken",
                at);
  }
  buffer.popped += pages;
  buffer.waited -= pages;
  buffer.consumer.join(host.task().clock);
  host.mayYield(at);
}

uint32_t writePointer(uint32_t index, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  return host.core().base() + buffer.base +
         buffer.pushed % buffer.pages * buffer.pageBytes();
}

uint32_t readPointer(uint32_t index, At at) {
  Machine &host = machine();
  BufferState &buffer = host.bufferOf(index, at);
  if (!buffer.waited)
    host.fail("reads circular buffer " + std::to_string(index) +
                  " without having waited for a page",
              at);
  return host.core().base() + buffer.base +
         buffer.popped % buffer.pages * buffer.pageBytes();
}

uint32_t tileSize(uint32_t index, At at) {
  return machine().bufferOf(index, at).pageBytes();
}

void Machine::checkReserved(const Core &core, uint32_t address, uint32_t bytes,
                            const char *verb, At at) {
  const uint32_t offset = address - core.base();
  for (const BufferState &buffer : core.buffers) {
    const uint32_t size = buffer.pages * buffer.pageBytes();
    if (!buffer.present || offset < buffer.base || offset >= buffer.base + size)
      continue;
    const uint32_t first =
        buffer.base + buffer.pushed % buffer.pages * buffer.pageBytes();
    if (offset >= first &&
        offset + bytes <= first + buffer.reserved * buffer.pageBytes())
      return;
  }
  fail(std::string("expects to ") + verb + " into reserved pages, but got " +
           std::to_string(bytes) + " bytes elsewhere",
       at);
}

void Machine::markWritten(Core &core, uint32_t address, uint32_t bytes) {
  const uint32_t offset = address - core.base();
  for (BufferState &buffer : core.buffers) {
    const uint32_t size = buffer.pages * buffer.pageBytes();
    if (!buffer.present || offset < buffer.base || offset >= buffer.base + size)
      continue;
    const uint32_t first = (offset - buffer.base) / buffer.pageBytes();
    const uint32_t last =
        (offset - buffer.base + bytes - 1) / buffer.pageBytes();
    for (uint32_t page = first; page <= last; ++page)
      buffer.written[page] = 1;
  }
}

} // namespace ring::tile
