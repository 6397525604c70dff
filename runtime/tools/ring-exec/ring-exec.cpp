// SPDX-License-Identifier: Apache-2.0
//
// Runs a program file: inputs from NumPy files or from a seed, outputs to NumPy
// files, results against the reference, time and memory to JSON.

#include "ring-runtime/Judgement.h"
#include "ring-runtime/Report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

using namespace ring::rt;

namespace {

enum ExitCode {
  kOk = 0,
  kCheckFailed = 1,
  kBadUsage = 2,
  kRunError = 3,
  kOutOfMemory = 4
};

constexpr char kHelp[] =
    R"(ring-exec: runs a program file on a mesh of virtual devices

usage: ring-exec program.ring [options]

  --input f.npy          the next input of the program; repeat for each. A local
                         input has one more dimension in front, the devices.
                         Inputs without a file are made from the seed.
  --output f.npy         where the next output goes; repeat for each
  --seed N               seed of generated inputs (default 1)
  --distribution D       normal, or outliers: N(0,1) and once in a thousand
                         N(0,10) on top (default normal)
  --check                run the f64 reference too and compare every output
  --tolerance X          largest error, relative to the largest number of the
                         reference, that --check accepts (default 1e-5 for f32
                         programs, 2e-2 with bf16, 5e-2 with block formats)
  --backend B            cpu, reference, or mpi: the devices dealt to the ranks
                         that mpirun starts, all with the same program, inputs
                         and options; rank 0 checks and writes (default cpu).
                         sim predicts the cost on a machine; nothing runs
  --machine M            for sim: a machine such as t3000, or a machine file
  --device-memory SIZE   what a device may hold, as 12GiB, 512MiB or bytes
  --threads N            threads that all devices share (default: the cores)
  --repeat N             run N times and show the one with the median time
  --stats f.json         time, memory and traffic of each device
  --trace f.json         what ran when, for chrome://tracing or Perfetto
  --report f.html        a page with timeline, memory and traffic, for a browser
  --dump                 print the program and stop

exit code: 0 all went well, 1 the check failed, 2 bad usage or file, 3 the run
failed, 4 a device's memory did not suffice. Everything but --dump and the table of --check goes to stderr.

example: a program on generated inputs, checked, in 1 GiB a device
  ring-exec attention.ring --seed 7 --check --device-memory 1GiB
example: the same on four ranks
  mpirun -n 4 ring-exec attention.ring --seed 7 --check --backend mpi
)";

struct Arguments {
  std::string program;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  uint64_t seed = 1;
  Distribution distribution = Distribution::Normal;
  bool check = false;
  bool dump = false;
  double tolerance = 0;
  std::string stats;
  std::string trace;
  std::string report;
  RunOptions options;
};

bool parseCount(const std::string &text, uint64_t &number) {
  char *end = nullptr;
  number = std::strtoull(text.c_str(), &end, 10);
  return !text.empty() && *end == 0 && text[0] != '-';
}

/// Whether there is an option of that name with a value.
bool takesValue(const std::string &name) {
  for (const char *known :
       {"--input", "--output", "--seed", "--distribution", "--tolerance",
        "--backend", "--machine", "--device-memory", "--threads", "--repeat",
        "--stats", "--trace", "--report"})
    if (name == known)
      return true;
  return false;
}

/// Reads one of the options that have a value.
Status parseOption(const std::string &name, const std::string &value,
                   Arguments &into) {
  uint64_t number = 0;
  if (name == "--input") {
    into.inputs.push_back(value);
  } else if (name == "--output") {
    into.outputs.push_back(value);
  } else if (name == "--seed") {
    if (!parseCount(value, into.seed))
      return error("expects a number after --seed, but got '", value, "'");
  } else if (name == "--distribution") {
    if (value != "normal" && value != "outliers")
      return error("expects normal or outliers, but got '", value, "'");
    into.distribution =
        value == "normal" ? Distribution::Normal : Distribution::Outliers;
  } else if (name == "--tolerance") {
    char *end = nullptr;
    into.tolerance = std::strtod(value.c_str(), &end);
    if (*end != 0 || !(into.tolerance > 0))
      return error("expects a positive tolerance, but got '", value, "'");
  } else if (name == "--backend") {
    into.options.backend = value;
  } else if (name == "--machine") {
    into.options.machine = value;
  } else if (name == "--device-memory") {
    std::optional<int64_t> bytes = parseBytes(value);
    if (!bytes)
      return error("expects a size like 12GiB, but got '", value, "'");
    into.options.deviceMemory = *bytes;
  } else if (name == "--threads") {
    if (!parseCount(value, number) || number < 1 || number > 4096)
      return error("expects 1 to 4096 threads, but got '", value, "'");
    into.options.threads = static_cast<int>(number);
  } else if (name == "--repeat") {
    if (!parseCount(value, number) || number < 1 || number > 4096)
      return error("expects 1 to 4096 runs, but got '", value, "'");
    into.options.repeat = static_cast<int>(number);
  } else if (name == "--stats") {
    into.stats = value;
  } else if (name == "--trace") {
    into.trace = value;
    into.options.trace = true;
  } else if (name == "--report") {
    into.report = value;
    into.options.trace = true;
  }
  return Status::success();
}

Result<Arguments> parseArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--check") {
      arguments.check = true;
    } else if (argument == "--dump") {
      arguments.dump = true;
    } else if (argument.rfind("--", 0) == 0) {
      std::string value;
      size_t equals = argument.find('=');
      if (!takesValue(argument.substr(0, equals)))
        return error("there is no option '", argument, "'; see --help");
      if (equals != std::string::npos) {
        value = argument.substr(equals + 1);
        argument.resize(equals);
      } else if (++i < argc) {
        value = argv[i];
      } else {
        return error("expects a value after ", argument);
      }
      if (Status status = parseOption(argument, value, arguments); !status)
        return status;
    } else if (arguments.program.empty()) {
      arguments.program = argument;
    } else {
      return error("expects one program, but got '", arguments.program,
                   "' and '", argument, "'");
    }
  }
  if (arguments.program.empty())
    return error("expects a program file; see --help");
  if (!arguments.report.empty() && arguments.options.backend == "reference")
    return error("expects a backend that is timed with --report, but got "
                 "'reference'");
  if (arguments.tolerance > 0 && !arguments.check)
    return error("expects --check with --tolerance");
  if (arguments.options.backend != "sim" && !arguments.options.machine.empty())
    return error("expects --backend sim with --machine, but got --backend ",
                 arguments.options.backend);
  if (arguments.options.backend == "sim" &&
      (arguments.check || !arguments.inputs.empty() ||
       !arguments.outputs.empty()))
    return error("expects no --input, --output and --check with --backend sim, "
                 "which computes nothing");
  return arguments;
}

/// Generated inputs, with those that have a file read from it.
Result<std::vector<PortTensors>> makeInputs(const Program &program,
                                            const Arguments &arguments) {
  if (arguments.inputs.size() > program.inputs().size())
    return error("expects at most ", program.inputs().size(),
                 " inputs, but got ", arguments.inputs.size());
  Result<std::vector<PortTensors>> inputs =
      generateInputs(program, arguments.seed, arguments.distribution);
  if (!inputs)
    return inputs;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const ValueType &type = program.values()[program.inputs()[i].value];
    Result<Tensor> tensor = readNpy(arguments.inputs[i], type.element);
    if (!tensor)
      return tensor.status();
    if (type.placement == Placement::Whole) {
      (*inputs)[i] = {*tensor};
      continue;
    }
    Result<PortTensors> shards = unstack(*tensor, program.deviceCount());
    if (!shards)
      return error("'", arguments.inputs[i], "' ", shards.message());
    (*inputs)[i] = *shards;
  }
  if (Status status = checkInputs(program, *inputs); !status)
    return status;
  return inputs;
}

void showProgress(int64_t done, int64_t all) {
  std::fprintf(stderr, "\r%lld of %lld instructions%s",
               static_cast<long long>(done), static_cast<long long>(all),
               done == all ? "\n" : "");
}

int report(ExitCode code, const std::string &message) {
  std::fprintf(stderr, "ring-exec: %s\n", message.c_str());
  return code;
}

int execute(const Arguments &arguments) {
  Result<Program> program = Program::loadFile(arguments.program);
  if (!program)
    return report(kBadUsage, program.message());
  if (arguments.dump) {
    std::fputs(program->text().c_str(), stdout);
    return kOk;
  }
  if (arguments.outputs.size() > program->outputs().size())
    return report(kBadUsage,
                  error("expects at most ", program->outputs().size(),
                        " outputs, but got ", arguments.outputs.size())
                      .message());
  if (Status status = checkOptions(arguments.options); !status)
    return report(kBadUsage, status.message());
  std::vector<std::string> written = arguments.outputs;
  written.insert(written.end(),
                 {arguments.stats, arguments.trace, arguments.report});
  // Rank 0 alone writes, and where it is others may have no such folder.
  if (arguments.options.backend != "mpi")
    if (Status status = checkWritable(written); !status)
      return report(kBadUsage, status.message());
  // With mpi this joins the ranks, so that all end with one that cannot go on.
  if (Result<std::unique_ptr<Backend>> backend =
          makeBackend(arguments.options.backend);
      !backend)
    return report(kBadUsage, backend.message());
  bool simulates = arguments.options.backend == "sim";
  Result<std::vector<PortTensors>> inputs =
      simulates ? std::vector<PortTensors>() : makeInputs(*program, arguments);
  if (!inputs)
    return report(kBadUsage, inputs.message());
  RunOptions options = arguments.options;
  if (isatty(2))
    options.progress = showProgress;
  Result<RunResult> result = run(*program, *inputs, options);
  if (!result)
    return report(result.status().shortage() ? kOutOfMemory : kRunError,
                  result.message());
  if (result->rank != 0)
    return kOk;
  if (simulates)
    std::fputs(describePrediction(*program, *result).c_str(), stderr);
  else
    std::fprintf(stderr, "ring-exec: '%s' on %s devices took %.3f s\n",
                 program->name().c_str(), describe(program->mesh()).c_str(),
                 result->seconds);

  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    const ValueType &type = program->values()[program->outputs()[i].value];
    Result<Tensor> tensor = type.placement == Placement::Whole
                                ? Result<Tensor>(result->outputs[i][0])
                                : stack(result->outputs[i]);
    if (!tensor)
      return report(kRunError, tensor.message());
    if (Status status = writeNpy(arguments.outputs[i], *tensor); !status)
      return report(kBadUsage, status.message());
  }
  if (!arguments.stats.empty())
    if (Status status = writeStatistics(arguments.stats, *program, *result);
        !status)
      return report(kBadUsage, status.message());
  if (!arguments.trace.empty())
    if (Status status = writeTrace(arguments.trace, *program, *result); !status)
      return report(kBadUsage, status.message());
  if (!arguments.report.empty()) {
    Report page = makeReport(*program, *result);
    if (options.deviceMemory > 0)
      page.memoryLimit = options.deviceMemory;
    if (Status status = writeReport(arguments.report, page); !status)
      return report(kBadUsage, status.message());
  }
  if (!arguments.check)
    return kOk;
  Result<PortNumbers> reference = runReference(*program, *inputs);
  if (!reference)
    return report(kRunError, reference.message());
  OutputJudgements judged =
      judge(*program, *result, *program, *reference, arguments.tolerance);
  std::fputs(judged.text.c_str(), stdout);
  return judged.passed ? kOk : kCheckFailed;
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--help") == 0 ||
        std::strcmp(argv[i], "-h") == 0) {
      std::fputs(kHelp, stdout);
      return kOk;
    }
  Result<Arguments> arguments = parseArguments(argc, argv);
  if (!arguments)
    return report(kBadUsage, arguments.message());
  return execute(*arguments);
}
