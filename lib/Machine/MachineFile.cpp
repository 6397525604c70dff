// SPDX-License-Identifier: Apache-2.0
//
// Reads machine files, and says what a machine as a whole must have. A file
// that is based on another one is read behind it, into the same machine.

#include "ring/Machine/MachineFile.h"

#include "BuiltInMachines.h"
#include "MachineKeys.h"
#include "MachineValues.h"
#include "ring/Machine/MeshOnMachine.h"
#include "ring/Support/NearestName.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ring::machine {

namespace {

template <typename List>
std::string namesOf(const List &list) {
  std::string names;
  for (const auto &one : list)
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

/// A machine file, or why it cannot be read.
struct FileText {
  std::string file;
  std::string text;
  std::string error;
};

/// A name has neither '/' nor '.'.
bool isPath(const std::string &nameOrPath) {
  return nameOrPath.find_first_of("./") != std::string::npos;
}

FileText readFile(const std::string &nameOrPath) {
  if (isPath(nameOrPath)) {
    std::ifstream stream(nameOrPath, std::ios::binary);
    if (!stream)
      return {"", "",
              "cannot read the machine file '" + nameOrPath +
                  "': " + std::strerror(errno)};
    std::ostringstream text;
    text << stream.rdbuf();
    // A folder can be opened, but not read.
    if (!text)
      return {"", "",
              "cannot read the machine file '" + nameOrPath +
                  "': it is a folder or empty"};
    return {nameOrPath, text.str(), ""};
  }
  for (const BuiltInMachine &machine : kBuiltInMachines)
    if (nameOrPath == machine.name)
      return {nameOrPath + ".machine", machine.text, ""};
  if (nameOrPath == "help")
    return {"", "",
            "expects a machine of these, or the path of a machine file:\n" +
                machineTable()};
  std::string names;
  for (const std::string &name : builtInMachines())
    names += (names.empty() ? "" : ", ") + name;
  return {"", "",
          "expects a machine of " + names +
              " or the path of a machine file, but got '" + nameOrPath + "'" +
              didYouMean(nameOrPath, builtInMachines())};
}

/// "8x4, rings", "4 hosts of 8x4, rings": hosts and the chips of each.
std::string describeMesh(const Machine &machine) {
  int64_t hosts = 1;
  for (int64_t count : machine.hosts)
    hosts *= count;
  std::string text = hosts > 1 ? std::to_string(hosts) + " hosts of " : "";
  text += shapeText(machine.mesh);
  auto isRing = [](Topology topology) { return topology == Topology::Ring; };
  auto begin = machine.topology.begin(), end = machine.topology.end();
  if (std::all_of(machine.mesh.begin(), machine.mesh.end(),
                  [](int64_t size) { return size == 1; }))
    return text;
  if (std::all_of(begin, end, isRing))
    return text + ", rings";
  if (std::none_of(begin, end, isRing))
    return text + ", lines";
  for (Topology topology : machine.topology)
    text += std::string(", ") + nameOf(topology);
  return text;
}

/// Reads a file, and before it those that it is based on.
class Reader {
public:
  explicit Reader(Draft &draft) : draft(draft), sections(sectionsOf(draft)) {}

  /// Reads a file; the error that comes back is empty on success.
  std::string read(const std::string &text, const std::string &file);
  /// What no single line can say, once all are read; the machine is complete
  /// if there is no error.
  std::string finish();

private:
  /// A line with a value.
  struct Entry {
    const Section *section;
    const Key *key;
    std::string value;
    int line;
  };
  /// What a file says by itself, before it is read into the machine.
  struct Content {
    std::vector<Entry> entries;
    const Section *current = nullptr;
    std::map<const Section *, int> opened;
    std::set<const Key *> given;
  };

  std::string readLine(const std::string &content, int line, Content &into);
  std::string openSection(const std::string &content, int line, Content &into);
  std::string readKey(const std::string &content, int line, Content &into);
  std::string readBase(const Content &content, const std::string &file);

  bool has(const std::string &name) const {
    return std::any_of(opened.begin(), opened.end(),
                       [&](const Section *one) { return one->name == name; });
  }

  Draft &draft;
  std::vector<Section> sections;
  std::vector<std::string> chain; ///< files that are being read, base last
  std::set<const Section *> opened;
  std::set<const Key *> given;
};

std::string at(const std::string &file, int line, const std::string &error) {
  return file + ":" + std::to_string(line) + ": " + error;
}

std::string Reader::read(const std::string &text, const std::string &file) {
  chain.push_back(file);
  Content content;
  std::istringstream lines(text);
  int line = 0;
  for (std::string raw; std::getline(lines, raw);) {
    ++line;
    std::string bare = trimmed(raw.substr(0, raw.find('#')));
    if (bare.empty())
      continue;
    if (std::string error = readLine(bare, line, content); !error.empty())
      return at(file, line, error);
  }
  if (std::string error = readBase(content, file); !error.empty())
    return error;
  // A base lends all but its name.
  for (const Key &key : sections.front().keys)
    if (key.name == std::string("name"))
      given.erase(&key);
  for (const Entry &entry : content.entries)
    if (std::string error = entry.key->read(entry.value); !error.empty())
      return at(file, entry.line,
                "key '" + std::string(entry.key->name) + "' " + error);
  for (const auto &[section, begin] : content.opened)
    opened.insert(section);
  given.insert(content.given.begin(), content.given.end());
  for (const auto &[section, begin] : content.opened)
    for (const Key &key : section->keys)
      if (key.required && !given.count(&key))
        return at(file, begin,
                  "section [" + std::string(section->name) +
                      "] expects the key '" + key.name + "', but has none");
  chain.pop_back();
  return "";
}

std::string Reader::readLine(const std::string &content, int line,
                             Content &into) {
  return content[0] == '[' ? openSection(content, line, into)
                           : readKey(content, line, into);
}

std::string Reader::openSection(const std::string &content, int line,
                                Content &into) {
  std::string name = content.substr(1, content.size() - 2);
  if (content.back() != ']')
    return "expects ']' at the end of a section, but got '" + content + "'";
  for (const Section &section : sections)
    if (section.name == name) {
      into.current = &section;
      if (!into.opened.emplace(into.current, line).second)
        return "section [" + name + "] occurs twice";
      return "";
    }
  return "expects a section of " + namesOf(sections) + ", but got '" + name +
         "'";
}

std::string Reader::readKey(const std::string &content, int line,
                            Content &into) {
  size_t equals = content.find('=');
  if (equals == std::string::npos)
    return "expects 'key = value', but got '" + content + "'";
  if (!into.current)
    return "expects a section before the first key, but got '" + content + "'";
  std::string name = trimmed(content.substr(0, equals));
  for (const Key &key : into.current->keys) {
    if (key.name != name)
      continue;
    if (!into.given.insert(&key).second)
      return "key '" + name + "' occurs twice in [" + into.current->name + "]";
    into.entries.push_back(
        {into.current, &key, trimmed(content.substr(equals + 1)), line});
    return "";
  }
  return "expects a key of " + namesOf(into.current->keys) + " in [" +
         into.current->name + "], but got '" + name + "'";
}

/// Reads the file that this one is based on, if it is. A path is meant from the
/// folder of the file that names it.
std::string Reader::readBase(const Content &content, const std::string &file) {
  auto entry = std::find_if(
      content.entries.begin(), content.entries.end(),
      [](const Entry &one) { return one.key->name == std::string(kBasedOn); });
  if (entry == content.entries.end())
    return "";
  std::string base = entry->value;
  auto failed = [&](const std::string &error) {
    return at(file, entry->line,
              "key '" + std::string(kBasedOn) + "' " + error);
  };
  size_t folder = file.rfind('/');
  if (isPath(base) && base.front() != '/' && folder != std::string::npos)
    base = file.substr(0, folder + 1) + base;
  FileText text = readFile(base);
  if (!text.error.empty())
    return failed(text.error);
  if (std::find(chain.begin(), chain.end(), text.file) != chain.end()) {
    std::string way;
    for (const std::string &one : chain)
      way += one + " -> ";
    return failed("expects a machine that is not based on this one, but got " +
                  way + text.file);
  }
  return read(text.text, text.file);
}

std::string expectAxes(size_t found, size_t axes, const char *what) {
  if (found == axes)
    return "";
  return std::string(what) + " expects one entry for each of " +
         std::to_string(axes) + " mesh axes, but got " + std::to_string(found);
}

std::string Reader::finish() {
  Machine &machine = draft.machine;
  bool shared = has("processor");
  std::vector<const char *> needed = {"machine"};
  if (!shared)
    needed.insert(needed.end(), {"chip", "mesh", "links"});
  for (const char *name : needed)
    if (!has(name))
      return "expects a section [" + std::string(name) + "], but has none";
  for (const char *name : {"chip", "mesh", "links", "between hosts"})
    if (shared && has(name))
      return "expects either [processor] or [" + std::string(name) +
             "], but got both";
  if (shared) {
    machine.processor = draft.processor;
    return "";
  }
  if (draft.grid.size() != 2)
    return "key 'grid' expects columns x rows, but has " +
           std::to_string(draft.grid.size()) + " sides";
  machine.chip.gridColumns = draft.grid[0];
  machine.chip.gridRows = draft.grid[1];
  machine.chip.nocBandwidth = draft.noc * machine.chip.clock;
  for (Links *links : {&machine.links, &machine.betweenHosts})
    links->secondsPerByteToRouter = 1 / machine.chip.nocBandwidth;
  size_t axes = machine.mesh.size();
  if (std::string error =
          expectAxes(machine.topology.size(), axes, "the topology of [mesh]");
      !error.empty())
    return error;
  if (!has("between hosts")) {
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
  Draft draft;
  Reader reader(draft);
  if (std::string error = reader.read(text, file); !error.empty())
    return {std::nullopt, error};
  if (std::string error = reader.finish(); !error.empty())
    return {std::nullopt, file + ": " + error};
  return {draft.machine, ""};
}

MachineOrError loadMachine(const std::string &nameOrPath) {
  FileText found = readFile(nameOrPath);
  return found.error.empty() ? parseMachine(found.text, found.file)
                             : MachineOrError{std::nullopt, found.error};
}

std::vector<std::string> builtInMachines() {
  std::vector<std::string> names;
  for (const BuiltInMachine &machine : kBuiltInMachines)
    names.push_back(machine.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string machineTable() {
  std::vector<std::array<std::string, 4>> rows;
  std::array<size_t, 3> widths = {};
  for (const std::string &name : builtInMachines()) {
    MachineOrError machine = loadMachine(name);
    std::string chips = "any", wires = "any mesh";
    if (!machine->takesAnyMesh()) {
      chips = std::to_string(machine->chips());
      wires = describeMesh(*machine);
    }
    rows.push_back({name, chips, wires, machine->description});
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], rows.back()[i].size());
  }
  std::string table;
  for (std::array<std::string, 4> &row : rows) {
    row[1].insert(0, widths[1] - row[1].size(), ' ');
    for (size_t i : {0, 2})
      row[i].resize(widths[i], ' ');
    table +=
        "  " + row[0] + "  " + row[1] + "  " + row[2] + "  " + row[3] + "\n";
  }
  return table;
}

} // namespace ring::machine
