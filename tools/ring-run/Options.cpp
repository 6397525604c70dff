// SPDX-License-Identifier: Apache-2.0
// The command line of ring-run.

#include "Options.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/Machine/MachineFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

namespace rt = ::ring::rt;
namespace tooling = ::ring::rt::tooling;

static constexpr char kUsage[] =
    R"(ring-run: compiles a file and runs it on an emulated mesh in one go

usage: ring-run [OPTIONS] [PASS FLAGS] [FILE.mlir]      without a file: stdin

examples: compile, run on seeded inputs, compare with the file itself, run in
double precision
  ring-run model.mlir --ring-attention-pipeline --check
why the planner chooses what it does, on the machine that has the mesh
  ring-run model.mlir --explain
time, utilisation and memory on a machine that is not here, predicted
  ring-run model.mlir --ring-attention-pipeline --backend=sim --machine=t3000

Any pass flag of ring-opt works; without one the file runs as it is. With
--backend=sim the passes plan for --machine too, unless they name another;
without --machine it is the one that has the file's mesh.

)";

static constexpr char kMeshRule[] = R"(
A mesh: the one that the file names (ttcore.meshes) counts, unless --mesh takes
its place; what the file has sharded already has to fit it. The pipeline's
option mesh-shape is for files that name none, or one of a single device.
)";

std::vector<tooling::Option> Options::compilerOptions() {
  auto setExplain = [this](const std::string &value) {
    explain = true;
    explainMachine = value;
    return true;
  };
  auto setSweep = [this](const std::string &value) {
    sweep = true;
    for (StringRef text : llvm::split(value, ' '))
      if (!text.empty())
        sweepTexts.push_back(text.str());
    return true;
  };
  return {
      {"pipeline", "TEXT",
       "passes to run first, e.g. \"ring-raise,ring-plan{strategy=ring}\"",
       tooling::setText(pipeline)},
      {"function", "NAME",
       "the function to run; by default the only public one",
       tooling::setText(function)},
      {"mesh", "2x4", "the mesh, in place of the one that the file names",
       tooling::setText(mesh)},
      {"bisect", "",
       "run and check after every pass; name the first that diverges",
       tooling::setFlag(bisect)},
      {"fallback", "",
       "where --device-memory does not suffice, plan again: all plans of the "
       "planner in its order, those that it predicts to fit first; one line "
       "says what was dropped and why",
       tooling::setFlag(fallback)},
      {"explain", "[=MACHINE]",
       "only print what the planner would choose from for each attention, as "
       "passes that are given would ask it; on the machine that has the mesh "
       "or on the one that is named, here or by --machine; help lists machines",
       setExplain},
      {"sweep", "[=RANGES]",
       "plan the largest attention again and again and print a table; RANGES "
       "are tokens=4k..1M, devices=2..32 or both, also as words of their own; "
       "ranges double, unless they are 4k..64k+4k or 4k,64k. On --machine, or "
       "on the one that has the mesh; within --device-memory. With --report it "
       "runs too and adds to it",
       setSweep},
      {"sweep-csv", "F.csv", "write the table of --sweep for other programs",
       tooling::setText(sweepTable)},
      // Answered before anything else is looked at.
      {"help-passes", "[=NAME]",
       "list the pass flags in groups, or show the options of one",
       [](const std::string &) { return true; }},
  };
}

std::string Options::helpText() {
  return kUsage + tooling::helpOf(compilerOptions()) +
         tooling::helpOf(options()) + kMeshRule + "\n" + tooling::exitCodes();
}

std::vector<std::string> Options::names() {
  std::vector<std::string> names;
  for (const std::vector<tooling::Option> &list :
       {compilerOptions(), options()})
    for (const tooling::Option &option : list)
      names.push_back(option.name);
  return names;
}

std::vector<Options::Given> Options::resultsOfRun() const {
  return {{"output", !outputs.empty()},
          {"stats", !statistics.empty()},
          {"trace", !trace.empty()},
          {"report", !report.empty()},
          {"dump", dump}};
}

/// Refuses what is given beside an option that has no use for it.
static rt::Status refuse(ArrayRef<Options::Given> options, StringRef beside) {
  for (const Options::Given &option : options)
    if (option.isGiven)
      return rt::error("expects no --", option.name, " with --", beside.str());
  return rt::Status::success();
}

rt::Status Options::checkBisection() const {
  if (run.backend == "sim")
    return rt::error(
        "expects no --bisect with --backend=sim, which computes nothing");
  if (!hasPasses())
    return rt::error("expects passes with --bisect: pass flags or --pipeline");
  return refuse(resultsOfRun(), "bisect, which runs one program for each pass");
}

rt::Status Options::checkNothingRuns(StringRef beside) const {
  if (rt::Status status =
          refuse({{"function", !function.empty()}},
                 (beside + ", which looks at all functions").str());
      !status)
    return status;
  std::vector<Given> given = resultsOfRun();
  given.insert(given.end(), {{"input", !inputs.empty()},
                             {"check", check},
                             {"bisect", bisect},
                             {"fallback", fallback}});
  return refuse(given, (beside + ", which runs nothing").str());
}

rt::Status Options::readExplanation() {
  if (!explain)
    return rt::Status::success();
  if (!explainMachine.empty() && !run.machine.empty() &&
      explainMachine != run.machine)
    return rt::error("expects one machine with --explain, but got '",
                     explainMachine, "' and, by --machine, '", run.machine,
                     "'");
  if (explainMachine.empty())
    explainMachine = run.machine;
  // Only a simulation runs on the machine.
  if (run.backend != "sim" && !listsMachines())
    run.machine.clear();
  return sweep ? rt::error("expects no --explain with --sweep")
               : checkNothingRuns("explain");
}

rt::Status Options::readSweep() {
  if (!sweep && !sweepTexts.empty())
    return rt::error("expects --sweep with '", sweepTexts.front(), "'");
  if (!sweep && !sweepTable.empty())
    return rt::error("expects --sweep with --sweep-csv");
  if (!sweep)
    return rt::Status::success();
  if (bisect)
    return rt::error("expects no --bisect with --sweep");
  for (const std::string &text : sweepTexts)
    if (std::string error = readSweepRange(text, sweepRanges); !error.empty())
      return rt::error(error);
  if (report.empty() && hasPasses())
    return rt::error("expects no passes with --sweep, which plans by itself, "
                     "unless a --report is written");
  if (report.empty())
    if (rt::Status status = checkNothingRuns("sweep without --report"); !status)
      return status;
  sweepMachine = run.machine;
  // Only a simulation runs on the machine.
  if (run.backend != "sim" && !listsMachines())
    run.machine.clear();
  return rt::Status::success();
}

rt::Status Options::checkFiles() const {
  std::vector<std::string> read = filesRead();
  read.insert(read.end(), {explainMachine, sweepMachine});
  std::vector<tooling::NamedFile> written = filesWritten();
  written.push_back({"--sweep-csv", sweepTable});
  return tooling::checkApart(read, written);
}

rt::Status Options::parse(int argc, char **argv) {
  std::vector<tooling::Option> all = compilerOptions();
  for (tooling::Option &option : options())
    all.push_back(std::move(option));
  passFlags.push_back(argv[0]);
  auto other = [&](const char *argument) {
    if (argument[0] == '-' && argument[1] != 0) {
      passFlags.push_back(argument);
      return rt::Status::success();
    }
    StringRef text = argument;
    if (text.starts_with("tokens=") || text.starts_with("devices=")) {
      sweepTexts.push_back(text.str());
      return rt::Status::success();
    }
    if (std::string problem = checkWord(passFlags.back(), text);
        !problem.empty())
      return rt::error(problem);
    if (rt::Status status = tooling::checkFileWord(text.str()); !status)
      return status;
    if (!file.empty())
      return rt::error("expects one file, but got '", file, "' and '", argument,
                       "'");
    file = argument;
    return rt::Status::success();
  };
  rt::Status status = tooling::parseCommandLine(argc, argv, all, other);
  if (file.empty())
    file = "-";
  if (status)
    status = readExplanation();
  if (status)
    status = readSweep();
  if (status)
    status = verify();
  if (status && bisect)
    status = checkBisection();
  if (status)
    status = checkFiles();
  return status;
}

} // namespace mlir::ring
