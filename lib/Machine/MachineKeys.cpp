// SPDX-License-Identifier: Apache-2.0
//
// The keys of machine files.

#include "MachineKeys.h"
#include "MachineValues.h"

namespace ring::machine {

namespace {

Key text(const char *name, std::string &into, bool required = true) {
  return {name, required, [&into](const std::string &value) {
            into = value;
            return std::string(value.empty() ? "expects a text, but got none"
                                             : "");
          }};
}

Key quantity(const char *name, double &into, Quantity kind,
             bool required = true) {
  return {name, required, [&into, kind](const std::string &value) {
            return readQuantity(value, kind, into);
          }};
}

Key count(const char *name, int64_t &into, int64_t most,
          Quantity kind = Quantity::Count, bool required = true) {
  return {name, required, [&into, most, kind](const std::string &value) {
            double read = 0;
            std::string error = readQuantity(value, kind, read);
            if (error.empty() && (read < 1 || read > static_cast<double>(most)))
              error = "expects a value from 1 to " + std::to_string(most) +
                      ", but got '" + value + "'";
            into = static_cast<int64_t>(read);
            return error;
          }};
}

Key shape(const char *name, std::vector<int64_t> &into) {
  return {name, true,
          [&into](const std::string &value) { return readShape(value, into); }};
}

Key topologies(const char *name, std::vector<Topology> &into) {
  return {name, true, [&into](const std::string &value) {
            return readTopologies(value, into);
          }};
}

void addLinkKeys(std::vector<Key> &keys, Links &links) {
  keys.push_back(count("count", links.count, 64));
  keys.push_back(
      quantity("line packet", links.line.packetSeconds, Quantity::Time));
  keys.push_back(
      quantity("line bandwidth", links.line.bandwidth, Quantity::Bandwidth));
  keys.push_back(
      quantity("ring packet", links.ring.packetSeconds, Quantity::Time));
  keys.push_back(
      quantity("ring bandwidth", links.ring.bandwidth, Quantity::Bandwidth));
  keys.push_back(quantity("latency", links.latency, Quantity::Time));
  keys.push_back(
      quantity("start", links.start, Quantity::Time, /*required=*/false));
}

} // namespace

std::vector<Section> sectionsOf(Draft &draft) {
  constexpr int64_t kMostBytes = int64_t(1) << 50;
  Machine &machine = draft.machine;
  Chip &chip = machine.chip;
  SharedProcessor &processor = draft.processor;
  std::vector<Section> sections = {
      {"machine",
       {text(kBasedOn, draft.base, /*required=*/false),
        text("name", machine.name),
        text("description", machine.description),
        {"host bandwidth", false,
         [&machine](const std::string &value) {
           machine.hostBandwidthAssumed = false;
           return readQuantity(value, Quantity::Bandwidth,
                               machine.hostBandwidth);
         }}}},
      {"chip",
       {text("architecture", chip.architecture),
        shape("grid", draft.grid),
        quantity("clock", chip.clock, Quantity::Frequency),
        {"tile product", true,
         [&chip](const std::string &value) {
           return readCycles(value, chip.tileProductCycles);
         }},
        quantity("product efficiency", chip.productEfficiency, Quantity::Share),
        quantity("exp", chip.expCycles, Quantity::Cycles),
        quantity("tile operation", chip.tileOperationCycles, Quantity::Cycles),
        quantity("chunk", chip.chunkCycles, Quantity::Cycles),
        quantity("launch", chip.launchCycles, Quantity::Cycles,
                 /*required=*/false),
        count("l1", chip.l1Bytes, kMostBytes, Quantity::Bytes),
        count("l1 reserved", chip.l1Reserved, kMostBytes, Quantity::Bytes,
              /*required=*/false),
        count("dram", chip.dramBytes, kMostBytes, Quantity::Bytes),
        quantity("dram bandwidth", chip.dramBandwidth, Quantity::Bandwidth),
        quantity("noc", draft.noc, Quantity::BytesPerCycle)}},
      {"mesh",
       {shape("shape", machine.mesh),
        topologies("topology", machine.topology)}},
      {"links", {}},
      {"between hosts",
       {shape("hosts", machine.hosts),
        topologies("topology", machine.hostTopology),
        {"wiring", true,
         [&machine](const std::string &value) {
           return readWiring(value, machine.hostWiring);
         }}}},
      {"processor",
       {quantity("peak", processor.peak, Quantity::Flops),
        {"attention share", true,
         [&processor](const std::string &value) {
           return readShares(value, processor.attentionShare);
         }},
        quantity("border", processor.borderKeys, Quantity::Keys),
        quantity("step bandwidth", processor.stepBandwidth,
                 Quantity::Bandwidth),
        quantity("state bandwidth", processor.stateBandwidth,
                 Quantity::Bandwidth),
        quantity("pack bandwidth", processor.packBandwidth,
                 Quantity::Bandwidth),
        quantity("copy bandwidth", processor.copyBandwidth,
                 Quantity::Bandwidth),
        quantity("hand over", processor.handOver, Quantity::Time),
        quantity("instruction", processor.instruction, Quantity::Time)}}};
  addLinkKeys(sections[3].keys, machine.links);
  addLinkKeys(sections[4].keys, machine.betweenHosts);
  return sections;
}

} // namespace ring::machine
