// SPDX-License-Identifier: Apache-2.0
//
// Runs a program file: inputs from NumPy files or from a seed, outputs to NumPy
// files, results against the reference, time and memory to JSON.

#include "ring-runtime/Tooling.h"

#include <cstdio>

using namespace ring::rt;
using namespace ring::rt::tooling;

namespace {

constexpr char kTool[] = "ring-exec";

constexpr char kUsage[] =
    R"(ring-exec: runs a program file on a mesh of virtual devices

usage: ring-exec program.ring [options]

)";

constexpr char kExamples[] = R"(
With --dump nothing runs. Everything but --dump and the lines of --check goes to
stderr.

example: a program on generated inputs, checked, in 1 GiB a device
  ring-exec attention.ring --seed 7 --check --device-memory 1GiB
example: the same on four ranks
  mpirun -n 4 ring-exec attention.ring --seed 7 --check --backend mpi
)";

/// Judges the outputs of a run; how to end if that cannot be done.
ExitCode check(const Settings &settings, const Program &program,
               const std::vector<PortTensors> &inputs, const RunResult &result,
               OutputJudgements &judged) {
  Result<Program> meaning = settings.meaning.empty()
                                ? Result<Program>(program)
                                : Program::loadFile(settings.meaning);
  if (!meaning)
    return fail(kTool, meaning.message(), kBadUsage), kBadUsage;
  Result<Truth> truth = findTruth(program, *meaning, inputs);
  if (!truth)
    return fail(kTool, truth.message(), kRunFailed), kRunFailed;
  judged = judge(program, result, truth->meaning, truth->outputs,
                 settings.tolerance);
  return kOk;
}

int execute(const Settings &settings, const Program &program) {
  // With mpi this joins the ranks, so that all end with one that cannot go on.
  if (Result<std::unique_ptr<Backend>> backend =
          makeBackend(settings.run.backend);
      !backend)
    return fail(kTool, backend.message(), kBadUsage);
  Result<std::vector<PortTensors>> inputs = makeInputs(program, settings);
  if (!inputs)
    return fail(kTool, inputs.message(), kBadUsage);
  Result<RunResult> result = run(program, *inputs, settings.run);
  if (!result)
    return fail(kTool, result.message(), codeOf(result.status()));
  // The other ranks of an MPI run have no results.
  if (result->rank != 0)
    return kOk;
  std::fputs(summaryOf(program, *result).c_str(), stderr);
  OutputJudgements judged;
  if (settings.check)
    if (ExitCode code = check(settings, program, *inputs, *result, judged);
        code != kOk)
      return code;
  auto addJudgement = [&](Report &page) {
    if (settings.check)
      addCheck(judged, "", page);
  };
  if (Status status = writeResults(settings, program, *result, addJudgement);
      !status)
    return fail(kTool, status.message(), kBadUsage);
  std::fputs(judged.text.c_str(), stdout);
  return judged.passed ? kOk : kCheckFailed;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  std::string file;
  auto other = [&](const std::string &argument) {
    if (argument[0] == '-')
      return error("there is no option '", argument, "'; see --help");
    if (!file.empty())
      return error("expects one program, but got '", file, "' and '", argument,
                   "'");
    file = argument;
    return Status::success();
  };
  Status usage = parseCommandLine(argc, argv, settings.options(), other);
  if (usage && settings.help) {
    std::printf("%s%s\n%s%s", kUsage, helpOf(settings.options()).c_str(),
                exitCodes(), kExamples);
    return kOk;
  }
  if (usage && settings.version) {
    std::fputs(versionOf(kTool).c_str(), stdout);
    return kOk;
  }
  if (usage && file.empty())
    usage = error("expects a program file; see --help");
  if (usage)
    usage = settings.verify();
  if (!usage)
    return fail(kTool, usage.message(), kBadUsage);
  Result<Program> program = Program::loadFile(file);
  if (!program)
    return fail(kTool, program.message(), kBadUsage);
  if (settings.dump) {
    std::fputs(program->text().c_str(), stdout);
    return kOk;
  }
  settings.prepareRun(kTool);
  for (const Status &status :
       {checkOutputs(*program, settings), settings.checkSurroundings()})
    if (!status)
      return fail(kTool, status.message(), kBadUsage);
  return execute(settings, *program);
}
