// SPDX-License-Identifier: Apache-2.0
//
// Reading command lines, and the options that all tools share. Parsed by hand:
// the runtime has no LLVM, and libLLVM has taken names such as --stats.

#include "ring-runtime/Tooling.h"
#include "ring-runtime/ring_runtime.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Support/NearestName.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

namespace ring::rt::tooling {

std::string versionOf(const char *tool) {
  return std::string(tool) + " " + ring_version() + "\n";
}

const char *exitCodes() {
  return "exit code: 0 all went well, 1 the check failed, 2 bad usage or a bad "
         "file, 3 the\nprogram could not be compiled or run, 4 a device's "
         "memory did not suffice\n";
}

int launchedRank() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char *rank = std::getenv(name))
      return static_cast<int>(std::strtol(rank, nullptr, 10));
  return 0;
}

int fail(const char *tool, const std::string &reason, ExitCode code) {
  // Rank 0, if it fails too, ends the others, most of which would say the same.
  constexpr std::chrono::seconds kPatience(5);
  std::string by;
  if (int rank = launchedRank(); rank > 0) {
    std::this_thread::sleep_for(kPatience);
    by = "rank " + std::to_string(rank) + ": ";
    // A run that fails says it itself.
    if (reason.find(by) != std::string::npos)
      by.clear();
  }
  std::fprintf(stderr, "%s: %s%s\n", tool, by.c_str(), reason.c_str());
  return code;
}

ExitCode codeOf(const Status &failure) {
  return failure.shortage() ? kOutOfMemory : kRunFailed;
}

std::function<bool(const std::string &)> setText(std::string &target) {
  return [&target](const std::string &value) {
    target = value;
    return !value.empty();
  };
}

std::function<bool(const std::string &)>
addText(std::vector<std::string> &target) {
  return [&target](const std::string &value) {
    target.push_back(value);
    return !value.empty();
  };
}

std::function<bool(const std::string &)> setFlag(bool &target) {
  return [&target](const std::string &) { return target = true; };
}

namespace {

/// A whole number of at most `most`.
template <typename Number>
std::function<bool(const std::string &)>
setCount(Number &target, uint64_t least, uint64_t most) {
  return [&target, least, most](const std::string &value) {
    char *end = nullptr;
    errno = 0;
    uint64_t number = std::strtoull(value.c_str(), &end, 10);
    target = static_cast<Number>(number);
    return !value.empty() && value[0] >= '0' && value[0] <= '9' && *end == 0 &&
           errno == 0 && number >= least && number <= most;
  };
}

/// How a sample begins where it stands in place of a file.
constexpr char kRows[] = "rows:";

constexpr char kAnyCount[] = "a number of at most 18446744073709551615";

bool mayBeLeftOut(const Option &option) {
  return option.value.empty() || option.value[0] == '[';
}

} // namespace

Status
parseCommandLine(int argc, char **argv, const std::vector<Option> &options,
                 const std::function<Status(const char *argument)> &other) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
    std::string name = argument.substr(dashes, equals - dashes);
    if (name == "h")
      name = "help";
    auto option = std::find_if(
        options.begin(), options.end(),
        [&](const Option &candidate) { return candidate.name == name; });
    if (dashes == 0 || option == options.end()) {
      if (Status status = other(argv[i]); !status)
        return status;
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      if (option->value.empty())
        return error("expects --", name, " without a value");
      value = argument.substr(equals + 1);
    } else if (!mayBeLeftOut(*option)) {
      if (++i == argc)
        return error("expects a value for --", name);
      value = argv[i];
    }
    if (!option->set(value))
      return error("expects ", option->expects, " for --", name, ", but got '",
                   value, "'");
  }
  return Status::success();
}

Status noSuchOption(const std::string &argument,
                    const std::vector<Option> &options) {
  std::vector<std::string> names;
  for (const Option &option : options)
    names.push_back(option.name);
  std::string flag = argument.substr(0, argument.find('='));
  size_t dashes = std::min(flag.find_first_not_of('-'), flag.size());
  return error("there is no option '", flag, "'",
               didYouMean(flag.substr(dashes), names), " (see --help)");
}

Status checkFileWord(const std::string &word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored))
    return Status::success();
  std::vector<std::string> machines = machine::builtInMachines();
  const char *option =
      word.rfind(kRows, 0) == 0 ? "--check="
      : std::find(machines.begin(), machines.end(), word) != machines.end()
          ? "--machine="
          : nullptr;
  if (!option)
    return Status::success();
  return error("expects ", option, word, ", but got '", word, "' as a file");
}

std::string machineHelp() {
  return "machines, their chips and mesh; --machine also takes the path of a "
         "machine file:\n" +
         machine::machineTable();
}

std::string helpOf(const std::vector<Option> &options) {
  constexpr size_t kColumn = 24, kWidth = 80;
  std::string text;
  for (const Option &option : options) {
    std::string line = "  --" + option.name;
    if (!option.value.empty())
      line += option.value[0] == '[' ? option.value : "=" + option.value;
    line.resize(std::max(line.size() + 1, kColumn), ' ');
    bool begins = true;
    std::istringstream words(option.help);
    for (std::string word; words >> word; begins = false) {
      if (line.size() + !begins + word.size() > kWidth) {
        text += line + "\n";
        line.assign(kColumn, ' ');
        begins = true;
      }
      line += (begins ? "" : " ") + word;
    }
    text += line + "\n";
  }
  return text;
}

std::vector<Option> Settings::options() {
  auto setDistribution = [this](const std::string &value) {
    distribution =
        value == "outliers" ? Distribution::Outliers : Distribution::Normal;
    return value == "outliers" || value == "normal";
  };
  auto setMemory = [this](const std::string &value) {
    std::optional<int64_t> bytes = parseBytes(value);
    run.deviceMemory = bytes.value_or(0);
    return bytes.has_value();
  };
  auto setTolerance = [this](const std::string &value) {
    char *end = nullptr;
    tolerance = std::strtod(value.c_str(), &end);
    return *end == 0 && tolerance > 0;
  };
  auto setCheck = [this](const std::string &value) {
    check = true;
    if (value.rfind(kRows, 0) != 0) {
      meaning = value.empty() ? meaning : value;
      return true;
    }
    int64_t rows = 0;
    bool good = setCount(rows, 1, INT64_MAX)(value.substr(sizeof(kRows) - 1));
    sample = RowSample(rows);
    return good;
  };
  return {
      {"backend", "NAME",
       "cpu (default); reference, in double precision; mpi: the devices dealt "
       "to the ranks that mpirun starts, of which rank 0 checks and writes; "
       "tile: launches on our device kernels, tile by tile; metal: the same on "
       "devices or their simulator, where TT-Metalium is; or sim: predict the "
       "cost on a machine, without inputs and without running",
       setText(run.backend)},
      {"machine", "NAME",
       "for sim: a machine such as t3000, or the path of a machine file; help "
       "lists those that are built in",
       setText(run.machine)},
      {"input", "F.npy",
       "a NumPy file for each input in order, the rest is generated; what "
       "every device has by itself has one more dimension in front",
       addText(inputs)},
      {"output", "F.npy", "a NumPy file to write each output to, in order",
       addText(outputs)},
      {"seed", "N", "seed of the generated inputs (default 1)",
       setCount(seed, 0, UINT64_MAX), kAnyCount},
      {"distribution", "NAME",
       "of the generated inputs: normal, N(0, 1), or outliers, with N(0, 10) "
       "added once in a thousand",
       setDistribution, "normal or outliers"},
      {"check", "[=FILE]",
       "judge the outputs by what the file itself, or FILE, gives in double "
       "precision: by bounds that follow from element types and roundings. "
       "--check=rows:64 judges 64 rows of each output, always the same ones: "
       "an attention that makes an output is then computed for them alone",
       setCheck, "a file, or rows:N with N of 1 or more,"},
      {"tolerance", "X",
       "let --check judge by the largest error alone, over the largest number",
       setTolerance, "a positive number"},
      {"stats", "F.json", "write time, bytes, FLOPs and memory of every device",
       setText(statistics)},
      {"trace", "F.json", "write a trace for Perfetto or chrome://tracing",
       setText(trace)},
      {"report", "F.html",
       "write a page with timeline, memory and traffic, for a browser",
       setText(report)},
      {"device-memory", "SIZE",
       "memory of a device, such as 12GiB, for values and buffers; needing "
       "more is an error. What kernels of the CPU work in does not count",
       setMemory, "a size such as 12GiB"},
      {"threads", "N",
       "threads that all devices share; 0 (default) is one a core",
       setCount(run.threads, 0, 4096), "0 to 4096 threads"},
      {"repeat", "N", "run N times and show the one with the median time",
       setCount(run.repeat, 1, 4096), "1 to 4096 runs"},
      {"interleaving", "N",
       "for tile: which order of cores and transactions is taken (default 0)",
       setCount(run.interleaving, 0, UINT64_MAX), kAnyCount},
      {"dump", "", "print the program before it runs", setFlag(dump)},
      {"progress", "",
       "say what is being done, how far it is and how long it may take, also "
       "where stderr is no terminal",
       setFlag(progress)},
      {"version", "", "print the version", setFlag(version)},
      {"help", "", "print this text", setFlag(help)},
  };
}

std::vector<std::string> Settings::filesRead() const {
  std::vector<std::string> files = {file, meaning, run.machine};
  files.insert(files.end(), inputs.begin(), inputs.end());
  return files;
}

std::vector<NamedFile> Settings::filesWritten() const {
  std::vector<NamedFile> files;
  for (const std::string &output : outputs)
    files.push_back({"--output", output});
  files.insert(
      files.end(),
      {{"--stats", statistics}, {"--trace", trace}, {"--report", report}});
  return files;
}

Status Settings::verify() const {
  bool simulates = run.backend == "sim";
  bool launches = run.backend == "tile" || run.backend == "metal";
  if (!report.empty() && (launches || run.backend == "reference"))
    return error("expects a backend that is timed with --report, but got '",
                 run.backend, "'");
  if (!trace.empty() && launches)
    return error("expects a backend that records what ran when with --trace, "
                 "but got '",
                 run.backend, "'");
  if (!simulates && !run.machine.empty() && !listsMachines())
    return error("expects --backend=sim with --machine, but got --backend=",
                 run.backend);
  if (run.interleaving != 0 && run.backend != "tile")
    return error("expects --backend=tile with --interleaving, but got "
                 "--backend=",
                 run.backend);
  if (tolerance > 0 && !check)
    return error("expects --check with --tolerance");
  for (auto [name, given] :
       {std::pair("input", !inputs.empty()),
        std::pair("output", !outputs.empty()), std::pair("check", check)})
    if (simulates && given)
      return error("expects no --", name,
                   " with --backend=sim, which computes nothing");
  return Status::success();
}

Status Settings::checkSurroundings() const {
  if (Status status = checkOptions(run); !status)
    return status;
  // Rank 0 alone writes, and where others are there may be no such folder.
  if (run.backend == "mpi" && launchedRank() != 0)
    return Status::success();
  std::vector<std::string> written;
  for (const NamedFile &one : filesWritten())
    written.push_back(one.path);
  return checkWritable(written);
}

void Settings::prepareRun(Progress &progress) {
  run.trace = !trace.empty() || !report.empty();
  run.progress = progress.callback();
}

} // namespace ring::rt::tooling
