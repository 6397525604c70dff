// SPDX-License-Identifier: Apache-2.0
// Attentions of published models on published meshes.

#include "PresetCases.h"
#include "mlir/IR/Builders.h"

namespace mlir::ring {
namespace {

/// Everything attends to everything, as in video and image models.
PresetCase full(std::string model, std::string machine,
                std::vector<int64_t> mesh, int64_t heads, int64_t tokens,
                int64_t joint, int64_t dim, int64_t queryChunk,
                int64_t keyChunk) {
  return {std::move(model),
          std::move(machine),
          std::move(mesh),
          heads,
          heads,
          tokens,
          tokens,
          joint,
          dim,
          /*causal=*/false,
          queryChunk,
          keyChunk};
}

/// Llama 70B: 64 heads, 8 of keys.
PresetCase llama(std::string model, std::string machine,
                 std::vector<int64_t> mesh, int64_t queries, int64_t keys) {
  return {std::move(model),
          std::move(machine),
          std::move(mesh),
          64,
          8,
          queries,
          keys,
          0,
          128,
          queries == keys,
          0,
          0};
}

std::vector<PresetCase> makeCases() {
  std::vector<PresetCase> cases;
  for (auto [model, tokens] :
       {std::pair("Wan2.2 14B 720p", 75600), {"Wan2.2 14B 480p", 32760}}) {
    cases.push_back(full(model, "t3000", {2, 4}, 40, tokens, 0, 128, 256, 256));
    cases.push_back(
        full(model, "wormhole-galaxy", {8, 4}, 40, tokens, 0, 128, 256, 256));
    cases.push_back(
        full(model, "quiet-box", {2, 2}, 40, tokens, 0, 128, 128, 512));
    cases.push_back(
        full(model, "blackhole-galaxy", {8, 4}, 40, tokens, 0, 128, 288, 512));
    cases.push_back(full(model, "blackhole-galaxy-4", {32, 4}, 40, tokens, 0,
                         128, 224, 512));
  }
  for (const auto &[machine, mesh, flux] :
       {std::tuple<const char *, std::vector<int64_t>,
                   std::pair<int64_t, int64_t>>{"t3000", {2, 4}, {128, 512}},
        {"wormhole-galaxy", {8, 4}, {128, 256}},
        {"quiet-box", {2, 2}, {128, 512}},
        {"blackhole-galaxy", {8, 4}, {64, 512}}}) {
    cases.push_back(
        full("Mochi", machine, mesh, 24, 44520, 118, 128, 128, 512));
    cases.push_back(full("Flux.1", machine, mesh, 24, 4096, 512, 128,
                         flux.first, flux.second));
  }
  // 38 heads are shared by two devices, not by four.
  cases.push_back(
      full("SD3.5", "quiet-box", {2, 2}, 38, 4096, 333, 64, 256, 512));
  cases.push_back(full("SD3.5", "", {2, 2}, 38, 4096, 333, 64, 256, 512));
  cases.back().machine = "t3000";
  for (const auto &[machine, mesh] :
       {std::pair<const char *, std::vector<int64_t>>{"t3000", {2, 4}},
        {"wormhole-galaxy", {8, 4}},
        {"blackhole-galaxy", {8, 4}}}) {
    cases.push_back(
        llama("Llama 70B prefill 32K", machine, mesh, 32768, 32768));
    cases.push_back(
        llama("Llama 70B prefill 128K", machine, mesh, 131072, 131072));
    cases.push_back(llama("Llama 70B decode 128K", machine, mesh, 1, 131072));
  }
  return cases;
}

} // namespace

const std::vector<PresetCase> &presetCases() {
  static const std::vector<PresetCase> kCases = makeCases();
  return kCases;
}

AttentionTraits traitsOf(const PresetCase &preset, MLIRContext *context) {
  AttentionTraits traits = {};
  traits.batch = 1;
  traits.heads = preset.heads;
  traits.kvHeads = preset.keyHeads;
  traits.queries = preset.queries;
  traits.keys = preset.keys;
  traits.joint = traits.realJoint = preset.joint;
  traits.dim = traits.valueDim = preset.dim;
  if (preset.causal)
    traits.band.after = 0;
  traits.elementType = BFloat16Type::get(context);
  return traits;
}

PlanPlace placeOf(const PresetCase &preset, MLIRContext *context) {
  PlanPlace place;
  place.axis = AxisAttr::get(context, 0, preset.mesh);
  place.headsAxis = 1;
  return place;
}

PlannerMachine machineOf(const PresetCase &preset) {
  return findPlannerMachine(preset.machine, preset.mesh);
}

} // namespace mlir::ring
