// SPDX-License-Identifier: Apache-2.0
//
// How long a run will take, before it does. Operations are counted exactly; the
// speed is that of a small attention that is run first. Copies and what memory
// takes are not counted, so that it is an estimate and no prediction: those of
// machines come from --backend=sim.

#include "Ops/Op.h"
#include "ring-runtime/ProgramBuilder.h"
#include "ring-runtime/Progress.h"

#include <chrono>

namespace ring::rt::tooling {

ProgramWork workOf(const Program &program) {
  ProgramWork work;
  int64_t devices = program.deviceCount();
  for (size_t index = 0; index < program.instructions().size(); ++index) {
    const Op &op = *opTable().find(program.instructions()[index].op);
    if (op.role != Op::Role::Compute)
      continue;
    OpTypes types(program, index);
    bool whole = types.outputCount() > 0 && types.output(0) &&
                 types.output(0)->placement == Placement::Whole;
    int64_t streams = whole ? 1 : devices;
    work.bytes += static_cast<double>(streams * bytesTouched(types));
    for (int64_t stream = 0; op.costs.flops && stream < streams; ++stream)
      work.flops += op.costs.flops(types, whole ? devices : stream);
  }
  return work;
}

namespace {

/// An attention of `heads` heads of 64, on the host alone.
Result<Program> trial(int64_t heads, int64_t tokens) {
  ProgramBuilder builder("trial", {1});
  ValueType type = wholeTensor(ElementType::F32, {1, heads, tokens, 64});
  int32_t q = builder.addInput("q", type), k = builder.addInput("k", type);
  int32_t v = builder.addInput("v", type);
  builder.addOutput("out", builder.addOne("sdpa", {q, k, v}, type));
  return builder.build();
}

/// Operations a second of one run; 0 if it cannot be run.
template <typename Run>
double speedOf(const Program &program, Run run) {
  Result<std::vector<PortTensors>> inputs = generateInputs(program, 1);
  if (!inputs)
    return 0;
  double seconds = run(program, *inputs);
  return seconds > 0 ? workOf(program).flops / seconds : 0;
}

} // namespace

double estimateRun(const ProgramWork &work, int threads) {
  // Two heads a core keep all cores busy; the first run touches memory.
  Result<Program> program = trial(16, 512);
  if (!program)
    return 0;
  double speed = speedOf(*program, [&](const Program &small,
                                       const std::vector<PortTensors> &inputs) {
    RunOptions options;
    options.threads = threads;
    options.repeat = 3;
    Result<RunResult> result = rt::run(small, inputs, options);
    return result ? result->seconds : 0;
  });
  return speed > 0 ? work.flops / speed : 0;
}

double estimateReference(const ProgramWork &work) {
  Result<Program> program = trial(1, 192);
  if (!program)
    return 0;
  double speed = speedOf(*program, [](const Program &small,
                                      const std::vector<PortTensors> &inputs) {
    auto begin = std::chrono::steady_clock::now();
    if (!runReference(small, inputs))
      return 0.0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  });
  return speed > 0 ? work.flops / speed : 0;
}

} // namespace ring::rt::tooling
