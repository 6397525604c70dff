// SPDX-License-Identifier: Apache-2.0
// The pipelines: which passes run in which order, and why.

#ifndef RING_PIPELINES_PIPELINES_H
#define RING_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ring {

/// How far a pipeline goes.
enum class Target { Ring, Launch, TTIR, TTNN, TTMetal };

/// Whose kernels compute the attentions of a TTIR model.
enum class Kernels { TTNN, Own };

/// Options of `ring-attention-pipeline`.
struct RingAttentionPipelineOptions
    : PassPipelineOptions<RingAttentionPipelineOptions> {
  Option<std::string> meshShape{
      *this, "mesh-shape",
      llvm::cl::desc("the mesh, such as 8x4, where the IR names none or one "
                     "of a single device"),
      llvm::cl::init("")};
  Option<int64_t> sequenceAxis{
      *this, "sequence-axis",
      llvm::cl::desc("mesh axis of the sequence where the IR has no "
                     "annotation; -1 for none"),
      llvm::cl::init(-1)};
  Option<int64_t> headAxis{
      *this, "head-axis",
      llvm::cl::desc("mesh axis of the heads where the IR has no annotation; "
                     "-1 for none"),
      llvm::cl::init(-1)};
  Option<std::string> parallel{
      *this, "parallel",
      llvm::cl::desc("axes by name where the IR has no annotation: "
                     "@FUNCTION:sequence=1,heads=0;NAME-OR-LINE:sequence=0;"
                     "@FUNCTION/NAME:none, with * and ? in names"),
      llvm::cl::init("")};
  Option<std::string> strategy{
      *this, "strategy",
      llvm::cl::desc("auto, replicate, all_gather, ring, double_ring, ulysses, "
                     "usp, halo, split_kv, pass_q, ring_joint, ring_mla or "
                     "ring_distributed"),
      llvm::cl::init("auto")};
  Option<std::string> layout{
      *this, "layout",
      llvm::cl::desc("auto, contiguous, zigzag, striped or balanced"),
      llvm::cl::init("auto")};
  Option<std::string> directions{*this, "directions",
                                 llvm::cl::desc("auto, forward or both"),
                                 llvm::cl::init("auto")};
  Option<std::string> merge{
      *this, "merge",
      llvm::cl::desc("auto, tree, round, gather or reduce: how split_kv makes "
                     "one of the parts of all ranks"),
      llvm::cl::init("auto")};
  Option<std::string> form{*this, "form",
                           llvm::cl::desc("auto, explicit or fused"),
                           llvm::cl::init("auto")};
  Option<Target> target{
      *this, "target", llvm::cl::desc("how far to go"),
      llvm::cl::init(Target::Ring),
      llvm::cl::values(
          clEnumValN(Target::Ring, "ring", "a schedule that the runtime runs"),
          clEnumValN(Target::Launch, "launch",
                     "device programs of our own kernels"),
          clEnumValN(Target::TTIR, "ttir", "TTIR that tt-mlir takes"),
          clEnumValN(Target::TTNN, "ttnn", "TTNN"),
          clEnumValN(Target::TTMetal, "ttmetal",
                     "TTMetal programs of our own kernels"))};
  Option<Kernels> kernels{
      *this, "kernels",
      llvm::cl::desc("whose kernels compute the attentions of target=ttir"),
      llvm::cl::init(Kernels::TTNN),
      llvm::cl::values(clEnumValN(Kernels::TTNN, "ttnn", "those of TTNN's ops"),
                       clEnumValN(Kernels::Own, "own",
                                  "ours, as ttnn.generic in composites"))};
  Option<std::string> topology{*this, "topology",
                               llvm::cl::desc("auto, ring or linear"),
                               llvm::cl::init("auto")};
  Option<int64_t> numLinks{
      *this, "num-links",
      llvm::cl::desc(
          "ethernet links to a neighbour that fused plans and our own "
          "kernels in TTIR use; explicit transfers use all; -1: "
          "those of the machine, or 1 for kernels"),
      llvm::cl::init(-1)};
  Option<std::string> machineName{
      *this, "machine",
      llvm::cl::desc("the machine to plan for, by its name or as the path of a "
                     "file; without, the one that has the mesh"),
      llvm::cl::init("")};
  Option<int64_t> qChunk{
      *this, "q-chunk",
      llvm::cl::desc("rows of a query chunk on the device; 0 chooses"),
      llvm::cl::init(0)};
  Option<int64_t> kChunk{
      *this, "k-chunk",
      llvm::cl::desc("rows of a key chunk on the device; 0 chooses"),
      llvm::cl::init(0)};
  Option<bool> expApprox{*this, "exp-approx",
                         llvm::cl::desc("approximate exponentials"),
                         llvm::cl::init(false)};
  Option<std::string> fidelity{
      *this, "fidelity",
      llvm::cl::desc("auto, lofi, hifi2, hifi3 or hifi4: passes over the "
                     "mantissas; auto is hifi2"),
      llvm::cl::init("auto")};
  Option<bool> fp32Accumulation{*this, "fp32-accumulation",
                                llvm::cl::desc("accumulate in f32"),
                                llvm::cl::init(false)};
  Option<std::string> grid{
      *this, "grid",
      llvm::cl::desc("the cores that compute, columns x rows, such as 8x7"),
      llvm::cl::init("")};
  Option<std::string> cclOffset{
      *this, "ccl-offset",
      llvm::cl::desc("the first core that moves data, column x row, such as "
                     "0x7"),
      llvm::cl::init("")};
  Option<std::string> deviceMemory{
      *this, "device-memory",
      llvm::cl::desc("what a device may hold, such as 12GiB; without, the DRAM "
                     "of the machine's chips"),
      llvm::cl::init("")};
  Option<bool> explain{
      *this, "explain",
      llvm::cl::desc("print what the planner chooses from, as ring-explain"),
      llvm::cl::init(false)};
  Option<int64_t> headRanks{
      *this, "head-ranks",
      llvm::cl::desc("ranks of the all-to-all inside usp; 0 chooses"),
      llvm::cl::init(0)};
  Option<int64_t> innerRanks{
      *this, "inner-ranks",
      llvm::cl::desc("ranks of the inner rings of double_ring, side by side on "
                     "the axis of the sequence; 0 takes the devices of a host"),
      llvm::cl::init(0)};
  Option<std::string> sdpaFwMask{
      *this, "sdpa-fw-mask",
      llvm::cl::desc("how an unmasked sdpa_fw is written: ones or none"),
      llvm::cl::init("ones")};
};

/// From TTIR with sequence-parallel attentions to a program for the mesh.
void buildRingAttentionPipeline(OpPassManager &passes,
                                const RingAttentionPipelineOptions &options);

/// Registers all pipelines with the tools' command lines.
void registerRingPipelines();

} // namespace mlir::ring

#endif // RING_PIPELINES_PIPELINES_H
