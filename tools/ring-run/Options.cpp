// SPDX-License-Identifier: Apache-2.0
// The command line of ring-run.

#include "Options.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>

namespace mlir::ring {

namespace rt = ::ring::rt;
using llvm::StringRef;

const char *helpText() {
  return R"(usage: ring-run [OPTIONS] [PASS FLAGS] [file.mlir]

Compiles a file and runs it on an emulated mesh in one go:

  ring-run model.mlir --ring-attention-pipeline="mesh-shape=2x4" --check

compiles the attentions of model.mlir for a mesh of 2 x 4 devices, runs the
result on seeded arguments and compares it with the file itself, run in double
precision. Any pass flag of ring-opt works; without one the file runs as it is.

  --pipeline=TEXT       passes to run first, e.g. "ring-raise,ring-plan{strategy=ring}"
  --function=NAME       the function to run; by default the only public one
  --mesh=2x4            the mesh, in place of the one that the module names
  --backend=NAME        cpu (default), reference (double precision), mpi, or sim: predict
                        the cost on a machine, without arguments and without running
  --machine=NAME        for sim: a machine such as t3000, or the path of a machine file;
                        the passes plan for it too, unless they name another
  --input=F.npy         a NumPy file for each argument in order, the rest is generated
  --output=F.npy        a NumPy file to write each result to, in order
  --seed=N              seed of the generated arguments (default 1)
  --distribution=NAME   of the generated arguments: normal, N(0, 1), or outliers, with
                        N(0, 10) added once in a thousand
  --check               compare with the reference: f32 results may be off by 1e-5 of
                        the largest, narrower ones must correlate by 0.9997
  --bisect              run and check after every pass; name the first that diverges
  --stats=F.json        write time, bytes, FLOPs and memory of every device
  --trace=F.json        write a trace for Perfetto or chrome://tracing
  --report=F.html       write a page with timeline, memory and traffic, for a browser
  --device-memory=SIZE  memory of a device, such as 12GiB; needing more is an error
  --fallback            where it is, plan again: all plans of the planner in its order,
                        those that it predicts to fit first; says what was dropped
  --threads=N           threads that all devices share; 0 (default) is one a core
  --repeat=N            run N times and show the one with the median time
  --dump                print the program before it runs
  --explain[=MACHINE]   only print what the planner would choose from for each attention,
                        on the machine that has the mesh or on the one that is named
  --help-passes         list the pass flags

exit code: 0 all went well, 1 a check failed, 2 bad usage or input, 3 the program
could not be compiled or run, 4 a device's memory did not suffice
)";
}

std::string Options::checkBisection() const {
  if (passFlags.size() == 1 && pipeline.empty())
    return "expects passes with --bisect: pass flags or --pipeline";
  for (auto [name, given] :
       {std::pair("output", !outputs.empty()),
        std::pair("stats", !statistics.empty()),
        std::pair("trace", !trace.empty()),
        std::pair("report", !report.empty()), std::pair("dump", dump)})
    if (given)
      return std::string("expects no --") + name +
             " with --bisect, which runs one program for each pass";
  return "";
}

std::string Options::parse(int argc, char **argv) {
  struct Option {
    StringRef name;
    /// Takes the value and says whether it is a good one; without, a flag.
    std::function<bool(StringRef)> set;
    bool *flag = nullptr;
  };
  auto text = [](std::string &target) {
    return [&target](StringRef value) {
      target = value.str();
      return !value.empty();
    };
  };
  auto list = [](std::vector<std::string> &target) {
    return [&target](StringRef value) {
      target.push_back(value.str());
      return !value.empty();
    };
  };
  const Option options[] = {
      {"pipeline", text(pipeline)},
      {"function", text(function)},
      {"mesh", text(mesh)},
      {"backend", text(run.backend)},
      {"machine", text(run.machine)},
      {"input", list(inputs)},
      {"output", list(outputs)},
      {"stats", text(statistics)},
      {"trace", text(trace)},
      {"report", text(report)},
      {"seed", [&](StringRef value) { return !value.getAsInteger(10, seed); }},
      {"threads",
       [&](StringRef value) {
         return !value.getAsInteger(10, run.threads) && run.threads >= 0;
       }},
      {"repeat",
       [&](StringRef value) {
         return !value.getAsInteger(10, run.repeat) && run.repeat > 0;
       }},
      {"distribution",
       [&](StringRef value) {
         distribution = value == "outliers" ? rt::Distribution::Outliers
                                            : rt::Distribution::Normal;
         return value == "outliers" || value == "normal";
       }},
      {"device-memory",
       [&](StringRef value) {
         std::optional<int64_t> bytes = rt::parseBytes(value.str());
         run.deviceMemory = bytes.value_or(0);
         return bytes.has_value();
       }},
      {"check", nullptr, &check},
      {"bisect", nullptr, &bisect},
      {"dump", nullptr, &dump},
      {"fallback", nullptr, &fallback},
      {"help", nullptr, &help},
  };

  bool hasFile = false;
  passFlags.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (argument == "-" || !argument.starts_with("-")) {
      if (hasFile)
        return "expects one file, but got '" + file + "' and '" +
               argument.str() + "'";
      hasFile = true;
      file = argument.str();
      continue;
    }
    if (argument == "--help-passes") {
      passFlags.push_back("--help");
      continue;
    }
    auto [name, value] = argument.ltrim('-').split('=');
    if (name == "explain") {
      explain = true;
      explainMachine = value.str();
      continue;
    }
    const Option *option = nullptr;
    for (const Option &candidate : options)
      if (candidate.name == name || (name == "h" && candidate.name == "help"))
        option = &candidate;
    if (!option) {
      passFlags.push_back(argv[i]);
      continue;
    }
    if (option->flag) {
      if (argument.contains('='))
        return "expects --" + name.str() + " without a value";
      *option->flag = true;
      continue;
    }
    if (!argument.contains('=')) {
      if (++i == argc)
        return "expects a value for --" + name.str();
      value = argv[i];
    }
    if (!option->set(value))
      return "cannot read '" + value.str() + "' as the value of --" +
             name.str();
  }
  run.trace = !trace.empty() || !report.empty();
  if (!report.empty() && run.backend == "reference")
    return "expects a backend that is timed with --report, but got 'reference'";
  if (run.backend != "sim" && !run.machine.empty())
    return "expects --backend=sim with --machine, but got --backend=" +
           run.backend;
  if (run.backend != "sim")
    return bisect ? checkBisection() : "";
  for (auto [name, given] :
       {std::pair("input", !inputs.empty()),
        std::pair("output", !outputs.empty()), std::pair("check", check),
        std::pair("bisect", bisect)})
    if (given)
      return std::string("expects no --") + name +
             " with --backend=sim, which computes nothing";
  return "";
}

} // namespace mlir::ring
