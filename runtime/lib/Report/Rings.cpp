// SPDX-License-Identifier: Apache-2.0
//
// Devices that exchange something for an attention are put together to rings,
// and rings that do the same are told once.

#include "Report/RingWalk.h"
#include "Report/Steps.h"

#include <algorithm>
#include <numeric>

namespace ring::rt {

namespace {

/// Rounds of a ring that are told.
constexpr size_t kMostRounds = 64;

/// The devices that are connected by what they send: each one's number is that
/// of its ring's first device.
std::vector<int64_t> connect(const std::map<int32_t, Round> &rounds,
                             int64_t devices) {
  std::vector<int64_t> ringOf(devices);
  std::iota(ringOf.begin(), ringOf.end(), 0);
  for (const auto &[step, round] : rounds)
    for (const ReportSend &send : round.sends) {
      int64_t from = ringOf[send.source], to = ringOf[send.target];
      for (int64_t &ring : ringOf)
        if (ring == std::max(from, to))
          ring = std::min(from, to);
    }
  return ringOf;
}

/// Everything that a ring does, with its devices numbered from 0 on: equal for
/// rings that do the same. Positions are another matter: rings over another
/// share of the heads have the same ones.
std::string shapeOf(const ReportRing &ring) {
  std::map<int64_t, size_t> number;
  for (int64_t device : ring.devices)
    number.emplace(device, number.size());
  std::string text = std::to_string(ring.devices.size());
  auto add = [&](int64_t device) {
    auto found = number.find(device);
    text += found == number.end() ? " x" : " " + std::to_string(found->second);
  };
  for (const ReportRound &round : ring.rounds) {
    text += "\n" + std::to_string(round.step);
    for (const ReportHolding &holding : round.holdings) {
      text += "; " + std::to_string(holding.flops);
      for (const std::vector<int64_t> &from :
           {holding.keysOf, holding.queriesOf}) {
        text += ",";
        std::for_each(from.begin(), from.end(), add);
      }
    }
    for (const ReportSend &send : round.sends) {
      text += "; " + std::to_string(send.bytes) + send.what;
      add(send.source);
      add(send.target);
    }
  }
  return text;
}

ReportRing ringOf(const std::vector<int64_t> &devices,
                  const std::map<int32_t, Round> &rounds) {
  ReportRing ring;
  ring.devices = devices;
  auto isHere = [&](int64_t device) {
    return std::binary_search(devices.begin(), devices.end(), device);
  };
  for (const auto &[step, round] : rounds) {
    ReportRound told;
    told.step = step;
    for (const auto &[device, holding] : round.holdings)
      if (isHere(device))
        told.holdings.push_back({device, membersOf(holding.keysOf),
                                 membersOf(holding.queriesOf), holding.keys,
                                 holding.queries, holding.flops});
    for (const ReportSend &send : round.sends)
      if (isHere(send.source))
        told.sends.push_back(send);
    if (ring.rounds.size() < kMostRounds)
      ring.rounds.push_back(std::move(told));
    else
      ++ring.roundsLeftOut;
  }
  return ring;
}

} // namespace

std::vector<ReportRing> findRings(const Program &program,
                                  const std::vector<int32_t> &steps) {
  if (program.deviceCount() > kMostDevices)
    return {};
  std::map<int32_t, Round> rounds = walkRounds(program, steps);
  std::map<int64_t, std::vector<int64_t>> members;
  std::vector<int64_t> connected = connect(rounds, program.deviceCount());
  for (int64_t device = 0; device < program.deviceCount(); ++device)
    members[connected[device]].push_back(device);
  std::vector<ReportRing> rings;
  std::map<std::string, size_t> known;
  for (const auto &[first, devices] : members) {
    if (devices.size() < 2)
      continue;
    ReportRing ring = ringOf(devices, rounds);
    auto [place, isNew] = known.try_emplace(shapeOf(ring), rings.size());
    if (isNew)
      rings.push_back(std::move(ring));
    else
      ++rings[place->second].alike;
  }
  return rings;
}

} // namespace ring::rt
