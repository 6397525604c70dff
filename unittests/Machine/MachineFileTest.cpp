// SPDX-License-Identifier: Apache-2.0
//
// Machine files: all that is built in can be read, and every mistake is named
// with file, line, what was expected and what was found.

#include "ring/Machine/MachineFile.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ring::machine {
namespace {

const std::string kGood = R"(# a comment
[machine]
name = test
description = a machine of tests
[chip]
architecture = blackhole
grid = 11x10
clock = 1.35 GHz          # after a value
tile product = 16, 32, 48, 64 cycles
product efficiency = 96 %
exp = 68 cycles
tile operation = 28 cycles
chunk = 1000 cycles
l1 = 1536 KiB
l1 reserved = 109 KiB
dram = 32 GB
dram bandwidth = 475 GB/s
noc = 60.9 B/cycle
[mesh]
shape = 2x4
topology = line, ring
[links]
count = 2
line packet = 142 ns
line bandwidth = 41.8 GB/s
ring packet = 202 ns
ring bandwidth = 41.8 GB/s
latency = 681 ns
)";

/// kGood with one text in place of another.
std::string with(const std::string &from, const std::string &to) {
  std::string text = kGood;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &text) {
  return parseMachine(text, "m.machine").error;
}

TEST(MachineFile, ReadsEveryKey) {
  MachineOrError machine = parseMachine(kGood, "m.machine");
  ASSERT_TRUE(machine) << machine.error;
  EXPECT_EQ(machine->name, "test");
  EXPECT_EQ(machine->description, "a machine of tests");
  EXPECT_EQ(machine->chip.architecture, "blackhole");
  EXPECT_EQ(machine->chip.cores(), 110);
  EXPECT_DOUBLE_EQ(machine->chip.clock, 1.35e9);
  EXPECT_DOUBLE_EQ(machine->chip.tileProductCycles[1], 32);
  EXPECT_DOUBLE_EQ(machine->chip.productEfficiency, 0.96);
  EXPECT_EQ(machine->chip.l1Bytes, 1536 * 1024);
  EXPECT_EQ(machine->chip.l1Reserved, 109 * 1024);
  EXPECT_EQ(machine->chip.dramBytes, 32000000000);
  EXPECT_DOUBLE_EQ(machine->chip.nocBandwidth, 60.9 * 1.35e9);
  EXPECT_EQ(machine->shape(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(machine->topology[1], Topology::Ring);
  EXPECT_EQ(machine->links.count, 2);
  EXPECT_DOUBLE_EQ(machine->links.latency, 681e-9);
  // 2048 operations per cycle at HiFi2.
  EXPECT_DOUBLE_EQ(machine->chip.peak(Fidelity::HiFi2, 1), 2048 * 1.35e9);
}

TEST(MachineFile, KnowsWhatL1Reserves) {
  MachineOrError machine =
      parseMachine(with("l1 reserved = 109 KiB\n", ""), "m.machine");
  ASSERT_TRUE(machine) << machine.error;
  EXPECT_EQ(machine->chip.l1Reserved, 110 * 1024);
}

TEST(MachineFile, ReadsHosts) {
  MachineOrError machine = parseMachine(kGood + R"(
[between hosts]
hosts = 16x1
topology = ring, line
wiring = counterparts
count = 4
line packet = 256 ns
line bandwidth = 10 GB/s
ring packet = 256 ns
ring bandwidth = 10 GB/s
latency = 5 us
)",
                                        "m.machine");
  ASSERT_TRUE(machine) << machine.error;
  EXPECT_EQ(machine->shape(), (std::vector<int64_t>{32, 4}));
  EXPECT_EQ(machine->chips(), 128);
  EXPECT_EQ(machine->hostWiring, Wiring::Counterparts);
}

TEST(MachineFile, AssumesAHost) {
  MachineOrError silent = loadMachine("t3000");
  EXPECT_TRUE(silent->hostBandwidthAssumed);
  EXPECT_EQ(silent->hostSeconds(10e9, 8), 1);
  // Four hosts send at the same time, each to its own chips.
  EXPECT_EQ(loadMachine("blackhole-galaxy-4")->hostSeconds(40e9, 128), 1);
  // Those without a device of the mesh send nothing.
  EXPECT_EQ(loadMachine("blackhole-galaxy-4")->hostSeconds(10e9, 8), 1);
  MachineOrError said = parseMachine(
      with("description = ", "host bandwidth = 20 GB/s\ndescription = "),
      "m.machine");
  ASSERT_TRUE(said) << said.error;
  EXPECT_FALSE(said->hostBandwidthAssumed);
  EXPECT_EQ(said->hostSeconds(10e9, 8), 0.5);
}

TEST(MachineFile, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf(with("clock =", "clok =")),
            "m.machine:8: expects a key of architecture, grid, clock, tile "
            "product, product efficiency, exp, tile "
            "operation, chunk, launch, l1, l1 reserved, dram, dram "
            "bandwidth, noc in [chip], but got 'clok'");
  EXPECT_EQ(errorOf(with("clock = 1.35 GHz", "")),
            "m.machine:5: section [chip] expects the key 'clock', but has "
            "none");
  EXPECT_EQ(errorOf(with("1.35 GHz", "1.35 GB/s")),
            "m.machine:8: key 'clock' expects a value in GHz or MHz, but got "
            "'1.35 GB/s'");
  EXPECT_EQ(errorOf(with("count = 2", "count = 2 links")),
            "m.machine:23: key 'count' expects a number without a unit, but "
            "got '2 links'");
  EXPECT_EQ(errorOf(with("count = 2", "count = 65")),
            "m.machine:23: key 'count' expects a value from 1 to 64, but got "
            "'65'");
  EXPECT_EQ(errorOf(with("count = 2", "count = 1.5")),
            "m.machine:23: key 'count' expects a whole number, but got '1.5'");
  EXPECT_EQ(errorOf(with("96 %", "0 %")),
            "m.machine:10: key 'product efficiency' expects a positive number, "
            "but got '0 %'");
  EXPECT_EQ(errorOf(with("96 %", "101 %")),
            "m.machine:10: key 'product efficiency' expects at most 100 %, but "
            "got '101 %'");
  EXPECT_EQ(errorOf(with("96 %", "-3 %")),
            "m.machine:10: key 'product efficiency' expects a positive number, "
            "but got '-3 %'");
  EXPECT_EQ(errorOf(with("exp =", "clock = 1 GHz\nexp =")),
            "m.machine:11: key 'clock' occurs twice in [chip]");
  EXPECT_EQ(errorOf(with("[links]", "[mesh]")),
            "m.machine:22: section [mesh] occurs twice");
  EXPECT_EQ(errorOf(with("[links]", "[wires]")),
            "m.machine:22: expects a section of machine, chip, mesh, links, "
            "between hosts, processor, but got 'wires'");
  EXPECT_EQ(errorOf(with("[links]", "[links")),
            "m.machine:22: expects ']' at the end of a section, but got "
            "'[links'");
  EXPECT_EQ(errorOf(with("shape = 2x4", "shape = 2x0")),
            "m.machine:20: key 'shape' expects one to four sides of 1 to 4096 "
            "such as 8x4, but got '2x0'");
  EXPECT_EQ(errorOf(with("line, ring", "line, torus")),
            "m.machine:21: key 'topology' expects line or ring for every mesh "
            "axis, but got 'line, torus'");
  EXPECT_EQ(errorOf(with("line, ring", "line")),
            "m.machine: the topology of [mesh] expects one entry for each of 2 "
            "mesh axes, but got 1");
  EXPECT_EQ(errorOf(with("16, 32, 48, 64 cycles", "16, 32, 24, 64 cycles")),
            "m.machine:9: key 'tile product' expects four ascending cycle "
            "counts, for LoFi, HiFi2, HiFi3 and HiFi4, such as '16, 32, 48, 64 "
            "cycles', but got '16, 32, 24, 64 cycles'");
  EXPECT_EQ(errorOf(with("grid = 11x10", "grid = 11x10x2")),
            "m.machine: key 'grid' expects columns x rows, but has 3 sides");
  EXPECT_EQ(errorOf(with("[machine]", "x")),
            "m.machine:2: expects 'key = value', but got 'x'");
  EXPECT_EQ(errorOf("name = x"), "m.machine:1: expects a section before the "
                                 "first key, but got 'name = x'");
  EXPECT_EQ(errorOf(kGood.substr(0, kGood.find("[links]"))),
            "m.machine: expects a section [links], but has none");
  EXPECT_EQ(errorOf(""),
            "m.machine: expects a section [machine], but has none");
}

TEST(MachineFile, AProcessorStandsAlone) {
  std::string processor = R"([processor]
peak = 200 GFLOP/s
attention share = 64: 60 %, 128: 80 %
border = 24 keys
step bandwidth = 20 GB/s
state bandwidth = 30 GB/s
pack bandwidth = 6 GB/s
copy bandwidth = 12 GB/s
hand over = 2 us
instruction = 3 us
)";
  std::string head = "[machine]\nname = p\ndescription = d\n";
  MachineOrError machine = parseMachine(head + processor, "p.machine");
  ASSERT_TRUE(machine) << machine.error;
  ASSERT_TRUE(machine->processor);
  EXPECT_TRUE(machine->takesAnyMesh());
  EXPECT_DOUBLE_EQ(machine->processor->attentionShare[1].share, 0.8);
  EXPECT_EQ(errorOf(kGood + processor),
            "m.machine: expects either [processor] or [chip], but got both");
}

TEST(MachineFile, EveryBuiltInMachineIsWhole) {
  std::vector<std::string> names = builtInMachines();
  EXPECT_EQ(names, (std::vector<std::string>{
                       "blackhole-galaxy", "blackhole-galaxy-32",
                       "blackhole-galaxy-4", "cpu-mesh", "galaxies-32",
                       "galaxies-4", "loud-box", "n150", "n300", "p100", "p150",
                       "quiet-box", "t3000", "wormhole-galaxy"}));
  for (const std::string &name : names) {
    MachineOrError machine = loadMachine(name);
    ASSERT_TRUE(machine) << machine.error;
    EXPECT_EQ(machine->name, name);
    EXPECT_NE(machineTable().find(name + " "), std::string::npos);
    EXPECT_NE(machineTable().find(machine->description), std::string::npos);
  }
  EXPECT_EQ(loadMachine("blackhole-galaxy-32")->chips(), 1024);
}

/// A file with its lines; the folder is the same for all.
std::string written(const std::string &name, const std::string &text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(MachineFile, ABaseLendsWhatAFileDoesNotSay) {
  MachineOrError own = parseMachine("[machine]\nbased on = t3000\nname = mine\n"
                                    "[links]\ncount = 2\n",
                                    "m.machine");
  ASSERT_TRUE(own) << own.error;
  MachineOrError base = loadMachine("t3000");
  EXPECT_EQ(own->name, "mine");
  EXPECT_EQ(own->description, base->description);
  EXPECT_EQ(own->links.count, 2);
  EXPECT_EQ(base->links.count, 1);
  EXPECT_EQ(own->links.line.bandwidth, base->links.line.bandwidth);
  EXPECT_EQ(own->shape(), base->shape());
  // What only one of them has is whole once both are read.
  MachineOrError hosts = parseMachine(
      "[machine]\nbased on = galaxies-4\nname = two\n[between hosts]\n"
      "hosts = 2x1\n",
      "m.machine");
  ASSERT_TRUE(hosts) << hosts.error;
  EXPECT_EQ(hosts->chips(), 64);
  EXPECT_EQ(hosts->hostWiring, Wiring::Counterparts);
  // Cycles of a byte follow from a clock that only the file above says.
  MachineOrError fast = parseMachine(
      "[machine]\nbased on = n150\nname = fast\n[chip]\nclock = 2 GHz\n",
      "m.machine");
  EXPECT_DOUBLE_EQ(fast->chip.nocBandwidth,
                   2 * loadMachine("n150")->chip.nocBandwidth);
  // A path is meant from the folder of the file that names it, in chains too.
  written("base.machine", "[machine]\nbased on = n150\nname = b\n[chip]\n"
                          "dram = 7 GB\n");
  std::string path = written("top.machine", "[machine]\nbased on = base.machine"
                                            "\nname = t\n");
  MachineOrError chained = loadMachine(path);
  ASSERT_TRUE(chained) << chained.error;
  EXPECT_EQ(chained->chip.dramBytes, 7000000000);
  EXPECT_EQ(chained->chip.architecture, "wormhole");
}

TEST(MachineFile, SaysWhatIsWrongWithABase) {
  EXPECT_EQ(errorOf("[machine]\nbased on = t3000\n"),
            "m.machine:1: section [machine] expects the key 'name', but has "
            "none");
  EXPECT_EQ(errorOf("[machine]\nname = x\nbased on = t4000\n").substr(0, 52),
            "m.machine:3: key 'based on' expects a machine of bla");
  EXPECT_EQ(errorOf("[machine]\nname = x\nbased on = no.machine\n"),
            "m.machine:3: key 'based on' cannot read the machine file "
            "'no.machine': No such file or directory");
  EXPECT_EQ(errorOf("[machine]\nbased on = t3000\nname = x\n"
                    "[between hosts]\nhosts = 2x1\n"),
            "m.machine:4: section [between hosts] expects the key 'topology', "
            "but has none");
  EXPECT_EQ(errorOf("[machine]\nbased on = t3000\nname = x\n[mesh]\n"
                    "shape = 2x2x2\n"),
            "m.machine: the topology of [mesh] expects one entry for each of 3 "
            "mesh axes, but got 2");
  EXPECT_EQ(errorOf("[machine]\nbased on = cpu-mesh\nname = x\n[mesh]\n"
                    "shape = 2x2\ntopology = line, line\n"),
            "m.machine: expects either [processor] or [mesh], but got both");
  std::string two = testing::TempDir() + "two.machine";
  std::string one = written("one.machine", "[machine]\nname = a\n"
                                           "based on = two.machine\n");
  written("two.machine", "[machine]\nbased on = one.machine\nname = b\n");
  EXPECT_EQ(loadMachine(one).error,
            two +
                ":2: key 'based on' expects a machine that is not based on "
                "this one, but got " +
                one + " -> " + two + " -> " + one);
}

TEST(MachineFile, LoadsByPathToo) {
  std::string path = testing::TempDir() + "ring-machine-file-test.machine";
  std::ofstream(path) << kGood;
  EXPECT_TRUE(loadMachine(path)) << loadMachine(path).error;
  EXPECT_EQ(loadMachine("nowhere/m.machine").error,
            "cannot read the machine file 'nowhere/m.machine': No such file or "
            "directory");
  EXPECT_EQ(loadMachine("./").error,
            "cannot read the machine file './': it is a folder or empty");
  EXPECT_EQ(loadMachine("n151").error.substr(0, 40),
            "expects a machine of blackhole-galaxy, b");
}

} // namespace
} // namespace ring::machine
