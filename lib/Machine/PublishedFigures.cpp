// SPDX-License-Identifier: Apache-2.0
//
// Reads the table of published figures and predicts each by what the planner
// and the simulator use: the chip model for one chip, the timeline of the fused
// op for a ring.

#include "ring/Machine/PublishedFigures.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"

#include "BuiltInFigures.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace ring::machine {

namespace {

double real(int64_t value) { return static_cast<double>(value); }

std::vector<std::string> split(const std::string &line, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, by);)
    parts.push_back(part);
  return parts;
}

/// One row by the names of the columns.
class Row {
public:
  Row(const std::vector<std::string> &names, const std::string &line) {
    std::vector<std::string> values = split(line, ',');
    values.resize(names.size());
    for (size_t i = 0; i < names.size(); ++i)
      cells[names[i]] = values[i];
  }
  const std::string &text(const char *column) const {
    auto found = cells.find(column);
    assert(found != cells.end() && "expects a column of that name");
    return found->second;
  }
  double number(const char *column) const {
    return text(column).empty() ? 0 : std::stod(text(column));
  }
  int64_t count(const char *column) const {
    return static_cast<int64_t>(number(column));
  }

private:
  std::map<std::string, std::string> cells;
};

double tileBytesOf(const std::string &format) {
  if (format == "bfp8")
    return kBfp8TileBytes;
  return format == "bfp4" ? kBfp4TileBytes : kBf16TileBytes;
}

AttentionCall callOf(const Row &row) {
  AttentionCall call;
  call.batch = row.count("batch");
  call.heads = row.count("heads");
  call.keyHeads = row.count("key heads");
  call.queries = row.count("queries");
  call.keys = row.count("keys");
  call.jointQueries = call.jointKeys = row.count("joint");
  call.keyDim = row.count("key dim");
  call.valueDim = row.count("value dim");
  call.latentValues = row.text("values") == "latent";
  call.tileBytes = tileBytesOf(row.text("format"));
  for (size_t i = 0; i < kFidelities; ++i)
    if (row.text("fidelity") == nameOf(static_cast<Fidelity>(i)))
      call.fidelity = static_cast<Fidelity>(i);
  call.f32Accumulation = row.text("accumulation") == "f32";
  call.queryChunk = row.count("q chunk");
  call.keyChunk = row.count("k chunk");
  call.cores = row.count("cores");
  if (row.text("kind").rfind("own keys", 0) == 0)
    call.kernel = AttentionKernel::Distributed;
  double share = 1;
  if (row.text("pattern") == "causal" || row.text("pattern") == "zigzag")
    share = 0.5;
  else if (row.text("pattern") == "cache")
    share = row.number("useful");
  setPairs(call, share * real(call.queries) * real(call.keys), call.keys,
           real(call.queries), /*slides=*/false);
  return call;
}

std::vector<PublishedFigure> readFigures() {
  std::vector<PublishedFigure> figures;
  std::vector<std::string> names;
  for (const std::string &line : split(kBuiltInFigures, '\n')) {
    if (line.empty() || line.front() == '#')
      continue;
    if (names.empty()) {
      names = split(line, ',');
      continue;
    }
    Row row(names, line);
    PublishedFigure figure;
    figure.name = row.text("figure");
    figure.source = row.text("source");
    figure.machine = row.text("machine");
    figure.kind = row.text("kind");
    for (const std::string &side : split(row.text("mesh"), 'x'))
      figure.mesh.push_back(std::stoll(side));
    figure.pattern = row.text("pattern");
    figure.call = callOf(row);
    figure.published = row.number("published");
    figure.unit = row.text("unit");
    figure.useful = row.number("useful");
    figure.use = row.text("use");
    figure.assumed = row.text("assumed");
    figures.push_back(figure);
  }
  return figures;
}

const Machine &machineOf(const PublishedFigure &figure) {
  static std::map<std::string, Machine> known;
  auto found = known.find(figure.machine);
  if (found == known.end()) {
    MachineOrError machine = loadMachine(figure.machine);
    assert(machine && "expects a machine that is built in");
    found = known.emplace(figure.machine, *machine).first;
  }
  return found->second;
}

size_t ringAxis(const PublishedFigure &figure) {
  return std::max_element(figure.mesh.begin(), figure.mesh.end()) -
         figure.mesh.begin();
}

double shardBytes(const AttentionCall &call) {
  int64_t columns = call.keyDim + (call.latentValues ? 0 : call.valueDim);
  return real(call.batch * call.keyHeads) * real(call.keys) * real(columns) *
         call.tileBytes / (kTileSide * kTileSide);
}

/// What a rank of a balanced ring computes with the shard of another: all of
/// its queries with the earlier half of the keys, or the later half of its
/// queries with all keys.
AttentionCall zigzagCall(AttentionCall call, int64_t rank, int64_t owner) {
  call.pairs = 0.5;
  call.borders = rank == owner ? 1 : 0;
  call.longestRow = owner < rank ? 0.5 : 1;
  return call;
}

double ringSeconds(const PublishedFigure &figure) {
  const Machine &machine = machineOf(figure);
  MeshOnMachine mesh = layMesh(machine, figure.mesh);
  assert(mesh.error.empty() && "expects a mesh of that machine");
  Timeline timeline;
  timeline.mesh = figure.mesh;
  timeline.axes = mesh.axes;
  timeline.oneCall = true;
  FusedRing ring;
  ring.axis = ringAxis(figure);
  ring.ranks = figure.mesh[ring.axis];
  ring.closed = mesh.axes[ring.axis].topology == Topology::Ring;
  ring.shardBytes = shardBytes(figure.call);
  ring.options.packet = packetBytes(figure.call.tileBytes);
  timeline.differs.assign(figure.mesh.size(), false);
  timeline.differs[ring.axis] = true;
  addRingJoint(timeline, ring, [&](int64_t rank, int64_t owner) {
    return timeline.add({figure.pattern == "zigzag"
                             ? zigzagCall(figure.call, rank, owner)
                             : figure.call});
  });
  std::vector<double> seconds;
  double fill = 0;
  for (const TimelineBlock &block : timeline.blocks) {
    AttentionTime time = attentionTime(machine, block.call);
    seconds.push_back(time.seconds - time.fillSeconds);
    if (seconds.size() == 1)
      fill = time.fillSeconds;
  }
  return play(timeline, seconds, fill).seconds;
}

} // namespace

const std::vector<PublishedFigure> &publishedFigures() {
  static const std::vector<PublishedFigure> kFigures = readFigures();
  return kFigures;
}

double predictedFigure(const PublishedFigure &figure) {
  const Machine &machine = machineOf(figure);
  const AttentionCall &call = figure.call;
  int64_t ranks = figure.mesh[ringAxis(figure)];
  if (figure.kind == "gather") {
    Axis axis = layMesh(machine, figure.mesh).axes[ringAxis(figure)];
    double bytes = shardBytes(call);
    // It sends many pages in a packet, whatever their size.
    return real(ranks - 1) * bytes / allGatherSeconds(axis, bytes) * 1e-9;
  }
  double seconds = ranks > 1 && figure.use != "left out"
                       ? ringSeconds(figure)
                       : attentionTime(machine, call).seconds;
  if (figure.unit == "us")
    return seconds * 1e6;
  double flops = 2.0 * real(call.batch * call.heads) * real(call.queries) *
                 real(call.keys * ranks) * real(call.keyDim + call.valueDim) *
                 figure.useful;
  return 100 * flops /
         (real(call.cores) * machine.chip.clock * kUtilisationFlops * seconds);
}

double errorOf(const PublishedFigure &figure) {
  return predictedFigure(figure) / figure.published - 1;
}

std::string publishedTable() {
  std::string out = "| figure | kind | published | predicted | error | use |\n"
                    "|---|---|---|---|---|---|\n";
  std::vector<double> errors;
  for (const PublishedFigure &figure : publishedFigures()) {
    double error = errorOf(figure);
    char numbers[96];
    const char *unit = figure.unit.c_str();
    int decimals = figure.published < 1000 ? 1 : 0;
    std::snprintf(numbers, sizeof(numbers), "%.*f %s | %.*f %s | %+.1f %%",
                  decimals, figure.published, unit, decimals,
                  predictedFigure(figure), unit, 100 * error);
    out += "| " + figure.name + " | " + figure.kind + " | " + numbers + " | " +
           figure.use + " |\n";
    if (figure.use == "predicted")
      errors.push_back(std::abs(error));
  }
  std::sort(errors.begin(), errors.end());
  char last[128];
  std::snprintf(last, sizeof(last),
                "\n%zu figures that nothing was fitted to: median error %.1f "
                "%%, largest %.1f %%\n",
                errors.size(), 100 * errors[errors.size() / 2],
                100 * errors.back());
  return out + last;
}

std::string figureKind(const AttentionCall &call, bool fused) {
  bool causal = call.pairs < 1;
  std::string kind;
  // Nobody published what masks cost, nor windows, which have two borders.
  if (call.mask || call.borders > 1)
    return "";
  if (isDecode(call))
    return "decode";
  if (call.kernel == AttentionKernel::Distributed)
    kind = "own keys";
  else if (fused)
    kind = "ring";
  else if (!call.carriesState && !causal)
    kind = "one chip";
  else
    return "";
  kind += causal ? " causal" : " full";
  return call.f32Accumulation ? kind + " f32" : kind;
}

EarnedError earnedError(const Machine &machine, const std::string &kind) {
  using Key = std::pair<std::string, std::string>;
  static const std::map<Key, double> kMost = [] {
    std::map<Key, double> most;
    for (const PublishedFigure &figure : publishedFigures())
      if (figure.use == "predicted") {
        double &error =
            most[{machineOf(figure).chip.architecture, figure.kind}];
        error = std::max(error, std::abs(errorOf(figure)));
      }
    return most;
  }();
  auto found = machine.processor
                   ? kMost.end()
                   : kMost.find({machine.chip.architecture, kind});
  if (found == kMost.end())
    return {false, 0};
  return {true, found->second};
}

EarnedError earnedError(const Machine &machine, const Timeline &timeline) {
  EarnedError error;
  // Gradients take more passes, by kernels that nobody published figures of.
  for (const TimelineBlock &block : timeline.blocks)
    error.add(
        block.passes != 1
            ? EarnedError{false, 0}
            : earnedError(machine, figureKind(block.call, timeline.oneCall)));
  return error;
}

} // namespace ring::machine
