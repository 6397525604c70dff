// SPDX-License-Identifier: Apache-2.0
//
// Reads machine files: which keys there are, in which section, and what a
// machine as a whole must have.

#include "ring/Machine/MachineFile.h"

#include "BuiltInMachines.h"
#include "MachineValues.h"
#include "ring/Support/NearestName.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace ring::machine {

namespace {

/// One key of a section.
struct Key {
  const char *name;
  bool required;
  /// Reads the value; the error that comes back is empty on success.
  std::function<std::string(const std::string &)> read;
};

/// A section with its keys.
struct Section {
  const char *name;
  std::vector<Key> keys;
};

Key text(const char *name, std::string &into) {
  return {name, true, [&into](const std::string &value) {
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
      quantity("line bandwidth", links.lineBandwidth, Quantity::Bandwidth));
  keys.push_back(
      quantity("ring bandwidth", links.ringBandwidth, Quantity::Bandwidth));
  keys.push_back(quantity("small packet bandwidth", links.smallPacketBandwidth,
                          Quantity::Bandwidth));
  keys.push_back(quantity("latency", links.latency, Quantity::Time));
}

/// What a file may say, bound to the machine that it is read into. `grid` and
/// `noc` need the rest of the chip and are worked out afterwards.
std::vector<Section> sectionsOf(Machine &machine, SharedProcessor &processor,
                                std::vector<int64_t> &grid, double &noc) {
  constexpr int64_t kMostBytes = int64_t(1) << 50;
  Chip &chip = machine.chip;
  std::vector<Section> sections = {
      {"machine",
       {text("name", machine.name),
        text("description", machine.description),
        {"host bandwidth", false,
         [&machine](const std::string &value) {
           machine.hostBandwidthAssumed = false;
           return readQuantity(value, Quantity::Bandwidth,
                               machine.hostBandwidth);
         }}}},
      {"chip",
       {text("architecture", chip.architecture),
        shape("grid", grid),
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
        quantity("noc", noc, Quantity::BytesPerCycle)}},
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

template <typename List>
std::string namesOf(const List &list) {
  std::string names;
  for (const auto &one : list)
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

/// Reads the lines of one file.
class Reader {
public:
  Reader(std::string file, std::vector<Section> &sections)
      : file(std::move(file)), sections(sections) {}

  /// Reads all lines; the error that comes back is empty on success.
  std::string read(const std::string &text) {
    std::istringstream lines(text);
    for (std::string raw; std::getline(lines, raw);) {
      ++line;
      std::string content = trimmed(raw.substr(0, raw.find('#')));
      if (content.empty())
        continue;
      std::string error =
          content[0] == '[' ? openSection(content) : readKey(content);
      if (!error.empty())
        return file + ":" + std::to_string(line) + ": " + error;
    }
    for (const auto &[section, at] : opened)
      for (const Key &key : section->keys)
        if (key.required && !seen.count({section, key.name}))
          return file + ":" + std::to_string(at) + ": section [" +
                 section->name + "] expects the key '" + key.name +
                 "', but has none";
    return "";
  }

  bool has(const std::string &name) const {
    for (const auto &entry : opened)
      if (entry.first->name == name)
        return true;
    return false;
  }

private:
  std::string openSection(const std::string &content) {
    std::string name = content.substr(1, content.size() - 2);
    if (content.back() != ']')
      return "expects ']' at the end of a section, but got '" + content + "'";
    for (const Section &section : sections)
      if (section.name == name) {
        current = &section;
        if (!opened.emplace(current, line).second)
          return "section [" + name + "] occurs twice";
        return "";
      }
    return "expects a section of " + namesOf(sections) + ", but got '" + name +
           "'";
  }

  std::string readKey(const std::string &content) {
    size_t equals = content.find('=');
    if (equals == std::string::npos)
      return "expects 'key = value', but got '" + content + "'";
    if (!current)
      return "expects a section before the first key, but got '" + content +
             "'";
    std::string name = trimmed(content.substr(0, equals));
    for (const Key &key : current->keys) {
      if (key.name != name)
        continue;
      if (!seen.insert({current, name}).second)
        return "key '" + name + "' occurs twice in [" + current->name + "]";
      std::string error = key.read(trimmed(content.substr(equals + 1)));
      return error.empty() ? "" : "key '" + name + "' " + error;
    }
    return "expects a key of " + namesOf(current->keys) + " in [" +
           current->name + "], but got '" + name + "'";
  }

  std::string file;
  std::vector<Section> &sections;
  const Section *current = nullptr;
  int line = 0;
  std::map<const Section *, int> opened;
  std::set<std::pair<const Section *, std::string>> seen;
};

std::string expectAxes(size_t found, size_t axes, const char *what) {
  if (found == axes)
    return "";
  return std::string(what) + " expects one entry for each of " +
         std::to_string(axes) + " mesh axes, but got " + std::to_string(found);
}

/// What no single line can say.
std::string checkWhole(const Reader &reader, Machine &machine) {
  bool shared = reader.has("processor");
  std::vector<const char *> needed = {"machine"};
  if (!shared)
    needed.insert(needed.end(), {"chip", "mesh", "links"});
  for (const char *name : needed)
    if (!reader.has(name))
      return "expects a section [" + std::string(name) + "], but has none";
  for (const char *name : {"chip", "mesh", "links", "between hosts"})
    if (shared && reader.has(name))
      return "expects either [processor] or [" + std::string(name) +
             "], but got both";
  if (shared)
    return "";
  size_t axes = machine.mesh.size();
  if (std::string error =
          expectAxes(machine.topology.size(), axes, "the topology of [mesh]");
      !error.empty())
    return error;
  if (!reader.has("between hosts")) {
    machine.hosts.assign(axes, 1);
    machine.hostTopology.assign(axes, Topology::Line);
    return "";
  }
  std::string error =
      expectAxes(machine.hosts.size(), axes, "'hosts' of [between hosts]");
  return error.empty() ? expectAxes(machine.hostTopology.size(), axes,
                                    "the topology of [between hosts]")
                       : error;
}

} // namespace

MachineOrError parseMachine(const std::string &text, const std::string &file) {
  Machine machine;
  SharedProcessor processor;
  std::vector<int64_t> grid;
  double noc = 0;
  std::vector<Section> sections = sectionsOf(machine, processor, grid, noc);
  Reader reader(file, sections);
  if (std::string error = reader.read(text); !error.empty())
    return {std::nullopt, error};
  if (std::string error = checkWhole(reader, machine); !error.empty())
    return {std::nullopt, file + ": " + error};
  if (reader.has("processor")) {
    machine.processor = processor;
    return {machine, ""};
  }
  if (grid.size() != 2)
    return {std::nullopt, file +
                              ": key 'grid' expects columns x rows, but has " +
                              std::to_string(grid.size()) + " sides"};
  machine.chip.gridColumns = grid[0];
  machine.chip.gridRows = grid[1];
  machine.chip.nocBandwidth = noc * machine.chip.clock;
  return {machine, ""};
}

MachineOrError loadMachine(const std::string &nameOrPath) {
  if (nameOrPath.find_first_of("./") == std::string::npos) {
    for (const BuiltInMachine &machine : kBuiltInMachines)
      if (nameOrPath == machine.name)
        return parseMachine(machine.text, nameOrPath + ".machine");
    std::string names;
    for (const std::string &name : builtInMachines())
      names += (names.empty() ? "" : ", ") + name;
    return {std::nullopt, "expects a machine of " + names +
                              " or the path of a machine file, but got '" +
                              nameOrPath + "'" +
                              didYouMean(nameOrPath, builtInMachines())};
  }
  std::ifstream stream(nameOrPath, std::ios::binary);
  if (!stream)
    return {std::nullopt, "cannot read the machine file '" + nameOrPath + "'"};
  std::ostringstream text;
  text << stream.rdbuf();
  return parseMachine(text.str(), nameOrPath);
}

std::vector<std::string> builtInMachines() {
  std::vector<std::string> names;
  for (const BuiltInMachine &machine : kBuiltInMachines)
    names.push_back(machine.name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace ring::machine
