// SPDX-License-Identifier: Apache-2.0
//
// Runs a program file: inputs from NumPy files or from a seed, outputs to NumPy
// files, results against the reference, time and memory to JSON.

#include "ring-runtime/Tooling.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

using namespace ring::rt;
using namespace ring::rt::tooling;

namespace {

constexpr char kTool[] = "ring-exec";

constexpr char kUsage[] =
    R"(ring-exec: runs a program file on a mesh of virtual devices

usage: ring-exec [OPTIONS] PROGRAM.ring                 - is stdin

examples: a program on generated inputs, checked, in 1 GiB a device
  ring-exec attention.ring --seed 7 --check --device-memory 1GiB
the same on four ranks
  mpirun -n 4 ring-exec attention.ring --seed 7 --check --backend mpi
numbers of your own in and out
  ring-exec attention.ring --input q.npy --input k.npy --input v.npy \
    --output out.npy

)";

constexpr char kNotes[] = R"(
With --dump nothing runs. Everything but --dump and the lines of --check goes to
stderr.
)";

/// Judges the outputs of a run; how to end if that cannot be done.
ExitCode check(const Settings &settings, const Program &program,
               const Program &meaning, const std::vector<PortTensors> &inputs,
               const RunResult &result, Progress &progress,
               OutputJudgements &judged) {
  Result<Truth> truth =
      findTruth(program, meaning, inputs, settings.sample, &progress);
  if (!truth)
    return fail(kTool, truth.message(), kRunFailed), kRunFailed;
  judged = judge(program, result, truth->meaning, truth->outputs,
                 settings.tolerance, settings.sample);
  return kOk;
}

int execute(const Settings &settings, const Program &program,
            Progress &progress) {
  // With mpi this joins the ranks, so that all end with one that cannot go on.
  if (Result<std::unique_ptr<Backend>> backend =
          makeBackend(settings.run.backend);
      !backend)
    return fail(kTool, backend.message(), kBadUsage);
  if (Status status = checkHostMemory(program, settings); !status)
    return fail(kTool, status.message(), kRunFailed);
  // Rank 0 alone judges; others may have no such file.
  Result<Program> meaning = settings.meaning.empty() || launchedRank() != 0
                                ? Result<Program>(program)
                                : Program::loadFile(settings.meaning);
  if (!meaning)
    return fail(kTool, meaning.message(), kBadUsage);
  progress.begin("makes inputs");
  Result<std::vector<PortTensors>> inputs = makeInputs(program, settings);
  progress.end();
  if (!inputs)
    return fail(kTool, inputs.message(), kBadUsage);
  if (settings.check)
    if (Status status = checkMeaning(program, *meaning, *inputs); !status)
      return fail(kTool, status.message(), kRunFailed);
  beginRun(program, settings, progress);
  Result<RunResult> result = run(program, *inputs, settings.run);
  progress.end();
  if (!result)
    return fail(kTool, result.message(), codeOf(result.status()));
  // The other ranks of an MPI run have no results.
  if (result->rank != 0)
    return kOk;
  std::fputs(summaryOf(program, *result).c_str(), stderr);
  OutputJudgements judged;
  if (settings.check)
    if (ExitCode code = check(settings, program, *meaning, *inputs, *result,
                              progress, judged);
        code != kOk)
      return code;
  auto addJudgement = [&](Report &page) {
    if (settings.check)
      addCheck(judged, page);
  };
  if (Status status = writeResults(settings, program, *result, addJudgement);
      !status)
    return fail(kTool, status.message(), kBadUsage);
  std::fputs(judged.text.c_str(), stdout);
  return judged.passed ? kOk : kCheckFailed;
}

int runTool(int argc, char **argv) {
  Settings settings;
  std::string &file = settings.file;
  auto other = [&](const std::string &argument) {
    if (argument[0] == '-' && argument.size() > 1)
      return noSuchOption(argument, settings.options());
    if (Status status = checkFileWord(argument); !status)
      return status;
    if (!file.empty())
      return error("expects one program, but got '", file, "' and '", argument,
                   "'");
    file = argument;
    return Status::success();
  };
  Status usage = parseCommandLine(argc, argv, settings.options(), other);
  if (usage && settings.help) {
    std::printf("%s%s\n%s%s", kUsage, helpOf(settings.options()).c_str(),
                exitCodes(), kNotes);
    return kOk;
  }
  if (usage && settings.version) {
    std::fputs(versionOf(kTool).c_str(), stdout);
    return kOk;
  }
  if (usage && settings.listsMachines()) {
    std::fputs(machineHelp().c_str(), stdout);
    return kOk;
  }
  if (usage && file.empty())
    usage = error("expects a program file; see --help");
  if (usage)
    usage = settings.verify();
  if (usage)
    usage = checkApart(settings.filesRead(), settings.filesWritten());
  // All ranks of an MPI run have the same command line, of which rank 0 speaks.
  if (!usage)
    return launchedRank() == 0 ? fail(kTool, usage.message(), kBadUsage)
                               : kBadUsage;
  Result<Program> program =
      Program::loadFile(file == "-" ? "/dev/stdin" : file);
  if (!program)
    return fail(kTool, program.message(), kBadUsage);
  if (settings.dump) {
    if (launchedRank() == 0)
      std::fputs(program->text().c_str(), stdout);
    return kOk;
  }
  Progress progress(kTool, settings.progress);
  settings.prepareRun(progress);
  for (const Status &status :
       {checkOutputs(*program, settings), settings.checkSurroundings()})
    if (!status)
      return fail(kTool, status.message(), kBadUsage);
  return execute(settings, *program, progress);
}

} // namespace

int main(int argc, char **argv) {
  int code = runTool(argc, argv);
  // What was printed may not have been written yet.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return code;
  return fail(kTool,
              std::string("cannot write the output: ") + std::strerror(errno),
              kBadUsage);
}
