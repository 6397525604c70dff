// SPDX-License-Identifier: Apache-2.0
//
// Reads the table of published figures, writes it with the predictions, and
// says how far predictions of a kind are from it.

#include "ring/Machine/PublishedFigures.h"
#include "ring/Machine/MachineFile.h"

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
    figure.transfer.packet = row.text("packet").empty()
                                 ? packetBytes(figure.call.tileBytes)
                                 : row.number("packet");
    figure.transfer.links = row.count("links");
    for (const std::string &part : split(row.text("beside"), '+'))
      figure.beside.push_back(std::stod(part));
    figure.published = row.number("published");
    figure.unit = row.text("unit");
    figure.useful = row.number("useful");
    figure.use = row.text("use");
    figure.assumed = row.text("assumed");
    figures.push_back(figure);
  }
  return figures;
}

} // namespace

const std::vector<PublishedFigure> &publishedFigures() {
  static const std::vector<PublishedFigure> kFigures = readFigures();
  return kFigures;
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
  // Few queries in a step of a ring are no decoding, and all rings that were
  // published have more.
  if (isDecode(call))
    return call.carriesState || fused ? "" : "decode";
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
            most[{loadMachine(figure.machine)->chip.architecture, figure.kind}];
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

EarnedError earnedError(const Machine &machine, const AttentionCall &call,
                        bool fused) {
  // Of more cores that share a user's keys what was published is not met: the
  // model does not know what adding up their parts takes.
  constexpr int64_t kMostSharing = 4;
  if (!machine.processor && isDecode(call) &&
      attentionTime(machine, call).keySplit > kMostSharing)
    return {false, 0};
  return earnedError(machine, figureKind(call, fused));
}

void EarnedError::speakFor(double attends, double all) {
  constexpr double kLittle = 0.05;
  covered &= attends >= (1 - kLittle) * all;
}

/// What an event takes the mean device: by its blocks, or by other work.
static std::pair<double, double>
attendingAndOther(const TimelineEvent &event,
                  const std::vector<double> &seconds) {
  if (event.kind != TimelineEvent::Kind::Compute)
    return {0, 0};
  double attends = 0;
  for (int32_t block : event.blocks)
    if (block != kNoBlock)
      attends +=
          seconds[block] / real(static_cast<int64_t>(event.blocks.size()));
  return {attends, event.seconds};
}

/// Whether a transfer may go from one host to another: a group that is no
/// longer than a host lies within one.
static bool leavesHosts(const MeshTransfer &transfer,
                        const Timeline &timeline) {
  const Axis &axis = timeline.axes[transfer.axis];
  return axis.isBetweenHosts(0, transfer.ranks * transfer.stride - 1);
}

EarnedError earnedError(const Machine &machine, const Timeline &timeline,
                        const std::vector<double> &seconds) {
  // Where products and softmax are written out, nothing is an attention; and
  // nobody published what goes on between hosts.
  if (timeline.blocks.empty() ||
      std::any_of(timeline.transfers.begin(), timeline.transfers.end(),
                  [&](const MeshTransfer &transfer) {
                    return leavesHosts(transfer, timeline);
                  }))
    return {false, 0};
  EarnedError error;
  // Gradients take more passes, by kernels that nobody published figures of.
  for (const TimelineBlock &block : timeline.blocks)
    error.add(block.passes != 1
                  ? EarnedError{false, 0}
                  : earnedError(machine, block.call, timeline.oneCall));
  double attends = 0, others = 0;
  for (const TimelineEvent &event : timeline.events) {
    auto [here, other] = attendingAndOther(event, seconds);
    attends += here;
    others += other;
  }
  error.speakFor(attends, attends + others);
  return error;
}

} // namespace ring::machine
