// SPDX-License-Identifier: Apache-2.0
//
// What command lines that run programs have in common: options and their help,
// inputs from files or a seed, results to files, the check, exit codes.
// ring-run and ring-exec are made of it, and so say the same words for the same
// thing.

#ifndef RING_RUNTIME_TOOLING_H
#define RING_RUNTIME_TOOLING_H

#include "ring-runtime/Judgement.h"
#include "ring-runtime/Progress.h"
#include "ring-runtime/Report.h"

namespace ring::rt::tooling {

/// How a tool ends.
enum ExitCode {
  kOk = 0,
  kCheckFailed = 1,
  kBadUsage = 2,
  kRunFailed = 3,
  kOutOfMemory = 4
};

/// What a tool answers to --version: its name and the runtime's version, in
/// one line.
std::string versionOf(const char *tool);

/// What a tool answers to --machine=help: the machines that are built in.
std::string machineHelp();

/// The codes in words, for the end of a help text.
const char *exitCodes();

/// The number of this process among those that mpirun has started, as it tells
/// them; 0 without. It is known before MPI is.
int launchedRank();

/// Says a reason on stderr, behind the name of the tool and, where it is not 0,
/// the rank; gives the code back. Rank 0 speaks first: where it fails too,
/// nobody else is heard.
int fail(const char *tool, const std::string &reason, ExitCode code);

/// How a tool ends when a run failed.
ExitCode codeOf(const Status &failure);

/// One option: --name=VALUE or --name VALUE, or a flag.
struct Option {
  std::string name;
  /// How help calls the value; empty for a flag, in brackets, with its =, where
  /// it may be left out.
  std::string value;
  std::string help; ///< words, which `helpOf` sets in lines
  /// Takes the value, empty for a flag; false if it is none.
  std::function<bool(const std::string &)> set;
  /// What a value has to be, for the message where it is not.
  std::string expects = "a value";
};

// What options set. Empty texts are refused.
std::function<bool(const std::string &)> setText(std::string &target);
std::function<bool(const std::string &)>
addText(std::vector<std::string> &target);
std::function<bool(const std::string &)> setFlag(bool &target);

/// Reads a command line. What is no option in the list, files among it, is
/// given to `other`.
Status
parseCommandLine(int argc, char **argv, const std::vector<Option> &options,
                 const std::function<Status(const char *argument)> &other);

/// The error about an argument that is none of them, with the nearest.
Status noSuchOption(const std::string &argument,
                    const std::vector<Option> &options);

/// Whether a word may be a file: a machine, or rows:64, is the value of an
/// option, unless there is such a file.
Status checkFileWord(const std::string &word);

/// The help of options, in their order.
std::string helpOf(const std::vector<Option> &options);

/// A file, and the option that names it, such as "--report".
struct NamedFile {
  std::string option;
  std::string path; ///< empty: none
};

/// Whether each file that is written is none that is read, and no other that is
/// written. Devices such as /dev/null may be named several times.
Status checkApart(const std::vector<std::string> &read,
                  const std::vector<NamedFile> &written);

/// What a tool is asked to do with a program.
struct Settings {
  std::string file; ///< that runs; - is stdin
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  uint64_t seed = 1;
  Distribution distribution = Distribution::Normal;
  bool check = false;
  /// The file that says what is meant; empty: the one that runs.
  std::string meaning;
  /// The rows of each output that are judged.
  RowSample sample;
  double tolerance = 0; ///< 0: the bounds of the judgement
  bool dump = false;
  bool help = false;
  bool version = false;
  bool progress = false; ///< also where stderr is no terminal
  std::string statistics;
  std::string trace;
  std::string report;
  RunOptions run;

  /// The options that set all this. They refer to these settings.
  std::vector<Option> options();
  /// Whether the machines are asked for in place of a run.
  bool listsMachines() const { return run.machine == "help"; }
  /// The files that they name, of those that are read and those that are
  /// written.
  std::vector<std::string> filesRead() const;
  std::vector<NamedFile> filesWritten() const;
  /// Whether they go together.
  Status verify() const;
  /// What can be said before a program is there: whether there is such a
  /// backend and machine, and whether files can be written.
  Status checkSurroundings() const;
  /// Completes `run`: a trace where a file needs it, and progress, which has to
  /// live as long.
  void prepareRun(Progress &progress);
};

/// Whether this machine can hold the inputs and outputs of a program at all.
Status checkHostMemory(const Program &program, const Settings &settings);

/// The inputs of a program: those with a file read, the rest generated. A
/// simulation has none.
Result<std::vector<PortTensors>> makeInputs(const Program &program,
                                            const Settings &settings);

/// Whether there is an output for each file.
Status checkOutputs(const Program &program, const Settings &settings);

/// What a result is judged by.
struct Truth {
  Program meaning;
  PortNumbers outputs;
};

/// Whether what is meant takes the inputs and gives what `program` does.
Status checkMeaning(const Program &program, const Program &meaning,
                    const std::vector<PortTensors> &inputs);

/// Runs what is meant on the reference, as far as the sample needs it; fails
/// where `checkMeaning` does.
Result<Truth> findTruth(const Program &program, const Program &meaning,
                        const std::vector<PortTensors> &inputs,
                        const RowSample &sample = RowSample(),
                        Progress *progress = nullptr);

/// Says what a run will compute and about how long it takes here, where it is
/// long or progress is asked for; begins to show its progress.
void beginRun(const Program &program, const Settings &settings,
              Progress &progress);

/// A run in two lines, or a prediction in words.
std::string summaryOf(const Program &program, const RunResult &result);

/// What a traced run with these options shows by itself.
Report makeReport(const Program &program, const RunResult &result,
                  const RunOptions &options);

/// Writes outputs, statistics, trace and report; `addSections` may add what it
/// knows to the report.
Status writeResults(const Settings &settings, const Program &program,
                    const RunResult &result,
                    const std::function<void(Report &)> &addSections = {});

} // namespace ring::rt::tooling

#endif // RING_RUNTIME_TOOLING_H
