// SPDX-License-Identifier: Apache-2.0
//
// What a tool is at. On a terminal one line that is written over; a log gets
// whole lines, and few of them.

#include "ring-runtime/Progress.h"
#include "ring-runtime/Tooling.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace ring::rt::tooling {

namespace {

using Clock = std::chrono::steady_clock;

/// Shorter work shows nothing: a line that only flickers helps nobody.
constexpr std::chrono::milliseconds kFirst(400);
constexpr std::chrono::milliseconds kOnTerminal(250);
constexpr std::chrono::seconds kInLog(10);

} // namespace

std::string describeDuration(double seconds) {
  char text[64];
  if (seconds < 0.95)
    std::snprintf(text, sizeof(text), "%.1f s", seconds);
  else if (seconds < 119.5)
    std::snprintf(text, sizeof(text), "%.0f s", seconds);
  else if (seconds < 119.5 * 60)
    std::snprintf(text, sizeof(text), "%.0f min", seconds / 60);
  else if (seconds < 47.5 * 3600)
    std::snprintf(text, sizeof(text), "%.0f hours", seconds / 3600);
  else
    std::snprintf(text, sizeof(text), "%.0f days", seconds / 86400);
  return text;
}

Progress::Progress(const char *tool, bool asked)
    : tool(tool), asked(asked), terminal(isatty(STDERR_FILENO) != 0),
      shown((asked || terminal) && launchedRank() == 0) {}

Progress::~Progress() { end(); }

void Progress::say(const std::string &text) {
  if (launchedRank() != 0)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  clear();
  std::fprintf(stderr, "%s: %s\n", tool, text.c_str());
}

void Progress::begin(const std::string &what, double estimate) {
  end();
  if (!shown)
    return;
  work = what;
  expected = estimate;
  started = Clock::now();
  done = all = 0;
  ended = false;
  if (!terminal)
    std::fprintf(
        stderr, "%s: %s%s\n", tool, what.c_str(),
        estimate > 0 ? (", about " + describeDuration(estimate)).c_str() : "");
  else if (asked)
    draw();
  watcher = std::thread([this] { watch(); });
}

void Progress::advance(int64_t newDone, int64_t newAll) {
  done = newDone;
  all = newAll;
}

void Progress::end() {
  if (!watcher.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ended = true;
  }
  wake.notify_all();
  watcher.join();
  clear();
}

std::function<void(int64_t, int64_t)> Progress::callback() {
  if (!shown)
    return {};
  return [this](int64_t newDone, int64_t newAll) { advance(newDone, newAll); };
}

void Progress::clear() {
  if (!hasLine)
    return;
  std::fputs("\r\033[K", stderr);
  hasLine = false;
}

void Progress::draw() {
  double seconds =
      std::chrono::duration<double>(Clock::now() - started).count();
  std::string line = std::string(tool) + ": " + work + ": ";
  if (all > 0)
    line += std::to_string(100 * done / all) + " %, ";
  line += describeDuration(seconds);
  if (expected > 0)
    line += " of about " + describeDuration(std::max(expected, seconds));
  std::fprintf(stderr, terminal ? "\r%s\033[K" : "%s\n", line.c_str());
  std::fflush(stderr);
  hasLine = terminal;
}

void Progress::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  auto next = Clock::now() +
              (terminal ? Clock::duration(kFirst) : Clock::duration(kInLog));
  while (!wake.wait_until(lock, next, [this] { return ended; })) {
    draw();
    next += terminal ? Clock::duration(kOnTerminal) : Clock::duration(kInLog);
  }
}

} // namespace ring::rt::tooling
