// SPDX-License-Identifier: Apache-2.0
//
// Reading values.

#include "MachineValues.h"

#include <cmath>
#include <cstdlib>

namespace ring::machine {

namespace {

struct Unit {
  const char *name;
  double factor;
};

const std::vector<Unit> &unitsOf(Quantity kind) {
  static const std::vector<Unit> kUnits[] = {
      /*Count=*/{{"", 1}},
      /*Frequency=*/{{"GHz", 1e9}, {"MHz", 1e6}},
      /*Bytes=*/
      {{"B", 1},
       {"KiB", 1024.0},
       {"MiB", 1048576.0},
       {"GiB", 1073741824.0},
       {"MB", 1e6},
       {"GB", 1e9}},
      /*Bandwidth=*/{{"GB/s", 1e9}, {"MB/s", 1e6}, {"TB/s", 1e12}},
      /*Time=*/{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}},
      /*Cycles=*/{{"cycles", 1}},
      /*Share=*/{{"%", 0.01}},
      /*BytesPerCycle=*/{{"B/cycle", 1}},
      /*Flops=*/{{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}},
      /*Keys=*/{{"keys", 1}}};
  return kUnits[static_cast<size_t>(kind)];
}

std::string quoted(const std::string &text) { return "'" + text + "'"; }

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (true) {
    size_t end = text.find(separator, begin);
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

/// A whole number without anything behind it.
bool readWhole(const std::string &text, int64_t most, int64_t &into) {
  if (text.empty() || text.size() > 15 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  into = std::strtoll(text.c_str(), nullptr, 10);
  return into >= 1 && into <= most;
}

} // namespace

std::string trimmed(const std::string &text) {
  constexpr const char *kBlanks = " \t\r";
  size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string readQuantity(const std::string &text, Quantity kind, double &into) {
  size_t digits = text.find_first_not_of("0123456789.");
  std::string number = text.substr(0, digits);
  std::string unit =
      digits == std::string::npos ? "" : trimmed(text.substr(digits));
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end)
    return "expects a positive number, but got " + quoted(text);
  std::string names;
  for (const Unit &one : unitsOf(kind)) {
    if (unit == one.name) {
      into = value * one.factor;
      if (value <= 0 || !std::isfinite(into))
        return "expects a positive number, but got " + quoted(text);
      if (kind == Quantity::Share && into > 1)
        return "expects at most 100 %, but got " + quoted(text);
      if (kind == Quantity::Count && value != std::floor(value))
        return "expects a whole number, but got " + quoted(text);
      return "";
    }
    names += (names.empty() ? "" : " or ") + std::string(one.name);
  }
  if (kind == Quantity::Count)
    return "expects a number without a unit, but got " + quoted(text);
  return "expects a value in " + names + ", but got " + quoted(text);
}

std::string readShape(const std::string &text, std::vector<int64_t> &into) {
  constexpr int64_t kMostSide = 4096;
  constexpr size_t kMostSides = 4;
  std::vector<int64_t> sides;
  for (const std::string &part : split(text, 'x')) {
    int64_t side = 0;
    if (!readWhole(part, kMostSide, side) || sides.size() == kMostSides)
      return "expects one to four sides of 1 to 4096 such as 8x4, but got " +
             quoted(text);
    sides.push_back(side);
  }
  into = sides;
  return "";
}

std::string readTopologies(const std::string &text,
                           std::vector<Topology> &into) {
  std::vector<Topology> list;
  for (const std::string &part : split(text, ',')) {
    if (part != "line" && part != "ring")
      return "expects line or ring for every mesh axis, but got " +
             quoted(text);
    list.push_back(part == "ring" ? Topology::Ring : Topology::Line);
  }
  into = list;
  return "";
}

std::string readWiring(const std::string &text, Wiring &into) {
  for (Wiring wiring : {Wiring::Ends, Wiring::Counterparts})
    if (text == nameOf(wiring)) {
      into = wiring;
      return "";
    }
  return "expects ends or counterparts, but got " + quoted(text);
}

std::string readCycles(const std::string &text,
                       std::array<double, kFidelities> &into) {
  std::string wrong = "expects four ascending cycle counts, for LoFi, HiFi2, "
                      "HiFi3 and HiFi4, such as '16, 32, 48, 64 cycles', but "
                      "got " +
                      quoted(text);
  size_t unit = text.rfind("cycles");
  if (unit == std::string::npos || unit + 6 != text.size())
    return wrong;
  std::vector<std::string> parts = split(text.substr(0, unit), ',');
  if (parts.size() != kFidelities)
    return wrong;
  for (size_t i = 0; i < kFidelities; ++i) {
    int64_t cycles = 0;
    if (!readWhole(parts[i], 1 << 20, cycles))
      return wrong;
    into[i] = static_cast<double>(cycles);
    if (i > 0 && into[i] < into[i - 1])
      return wrong;
  }
  return "";
}

std::string readShares(const std::string &text, std::vector<ShareAt> &into) {
  std::vector<ShareAt> list;
  for (const std::string &part : split(text, ',')) {
    std::vector<std::string> pair = split(part, ':');
    ShareAt at;
    if (pair.size() != 2 || !readWhole(pair[0], int64_t(1) << 40, at.dim) ||
        (!list.empty() && at.dim <= list.back().dim))
      return "expects ascending dims with shares such as '64: 85 %, 128: 90 "
             "%', but got " +
             quoted(text);
    if (std::string error = readQuantity(pair[1], Quantity::Share, at.share);
        !error.empty())
      return error;
    list.push_back(at);
  }
  into = list;
  return "";
}

} // namespace ring::machine
