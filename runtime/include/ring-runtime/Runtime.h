// SPDX-License-Identifier: Apache-2.0
//
// Runs programs. One call takes a program, its inputs and options, and gives
// its outputs and what they cost. No exceptions, no global state.

#ifndef RING_RUNTIME_RUNTIME_H
#define RING_RUNTIME_RUNTIME_H

#include "ring-runtime/Prediction.h"
#include "ring-runtime/Program.h"
#include "ring-runtime/Tensor.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ring::rt {

/// The value of a program input or output: one tensor if it is whole, one per
/// device if it is local.
using PortTensors = std::vector<Tensor>;

/// How a program is run.
struct RunOptions {
  /// "cpu", "tile", "reference", "sim", or "metal", "mpi" and "ttnn" where they
  /// were built in; see backendNames.
  std::string backend = "cpu";
  /// For "sim": a built-in machine by name, or the path of a machine file.
  std::string machine;
  /// Bytes that a device may hold; 0 for no limit. The reference has none.
  int64_t deviceMemory = 0;
  /// Threads that all devices share; 0 for one per core.
  int threads = 0;
  /// Runs, one behind the other, of which that with the median time is given
  /// (the faster of two): the first touches memory that nobody has used yet.
  /// More than one with "cpu", "tile" and "metal" only.
  int repeat = 1;
  /// For "tile": which of the many orders in which cores can run, and
  /// transactions land, is taken.
  uint64_t interleaving = 0;
  /// Whether to record what ran when.
  bool trace = false;
  /// Called from time to time with the instructions done and all there are.
  /// It may be called from any thread, by one at a time.
  std::function<void(int64_t done, int64_t all)> progress;
};

/// The bytes that a text such as 12GiB, 1.5MiB, 64KiB or 4096 says, for
/// `RunOptions::deviceMemory`; nothing if it says none.
std::optional<int64_t> parseBytes(const std::string &text);

/// What one kind of op cost on one device.
struct OpStatistics {
  int64_t count = 0;
  double seconds = 0;
  double flops = 0;
  int64_t bytes = 0; ///< read and written
};

/// What a run cost on one device, or on the host.
struct DeviceStatistics {
  double seconds = 0;     ///< from the start of the run to the device's end
  double busySeconds = 0; ///< of these, running instructions
  double flops = 0;
  int64_t bytesSent = 0;
  int64_t bytesReceived = 0;
  /// What a device would hold: values and buffers. `RunOptions::deviceMemory`
  /// limits it, plans predict it, and all tools show it.
  int64_t peakBytes = 0;
  int64_t peakKeyValueBytes = 0; ///< keys, values and buffers for them alone
  /// What the CPU's kernels worked in during one instruction, at most. It
  /// depends on threads, and is no memory of a device.
  int64_t scratchBytes = 0;
  /// Tensors in pieces that this device put in one place, and keys with their
  /// values that it packed for the kernels: what others then find done.
  int64_t writtenDownBytes = 0;
  int64_t packedBytes = 0;
  std::map<std::string, OpStatistics> ops;
};

/// One instruction on one device, in seconds from the start of the run.
struct TraceEvent {
  int64_t device = 0; ///< the number after the last device is the host
  size_t instruction = 0;
  double begin = 0;
  double end = 0;
  /// What the device held meanwhile: values and buffers. The largest of a
  /// device's events is its peak.
  int64_t heldBytes = 0;
  /// 0: the device itself; others are links, by `Prediction::links`.
  size_t lane = 0;
};

/// What one device sent to another in a whole run.
struct LinkLoad {
  int64_t source = 0;
  int64_t target = 0;
  int64_t bytes = 0;
  /// How long the link between the two carried something; below 0 where
  /// nothing was timed, as on the CPU mesh, which hands over pointers.
  double busySeconds = -1;
};

/// What a run gives.
struct RunResult {
  /// Of this process, with "mpi". Outputs and statistics are rank 0's; the
  /// others have none.
  int rank = 0;
  std::vector<PortTensors> outputs; ///< in the order of the program's outputs
  double seconds = 0;
  std::vector<DeviceStatistics> devices;
  DeviceStatistics host;
  // What RunOptions::trace asks for.
  std::vector<TraceEvent> trace;
  std::vector<LinkLoad> links; ///< between devices, by source, target
  /// Whether launches ran on our device kernels, which round the weights of
  /// keys to bf16.
  bool roundsWeights = false;
  /// Set by "sim", which has no outputs: all times are predicted.
  std::optional<Prediction> prediction;
};

/// Something that runs programs.
class Backend {
public:
  virtual ~Backend() = default;
  virtual Result<RunResult> run(const Program &program,
                                const std::vector<PortTensors> &inputs,
                                const RunOptions &options) = 0;
};

/// The names of the backends that were built in.
std::vector<std::string> backendNames();
/// A backend by its name.
Result<std::unique_ptr<Backend>> makeBackend(const std::string &name);

/// What can be said of options without a program: that there is no such
/// backend, or that its machine cannot be read.
Status checkOptions(const RunOptions &options);
/// Whether the inputs are what the program takes.
Status checkInputs(const Program &program,
                   const std::vector<PortTensors> &inputs);

/// Checks the inputs against the program and runs it on the backend of the
/// options. "sim" takes no inputs and gives no outputs.
Result<RunResult> run(const Program &program,
                      const std::vector<PortTensors> &inputs,
                      const RunOptions &options = {});

/// The numbers of each output and each of its tensors.
using PortNumbers = std::vector<std::vector<std::vector<double>>>;

/// Some rows of a tensor, for who cannot wait for all of them: a row is what
/// its last dimension holds.
class RowSample {
public:
  /// All rows, or `most` of them.
  explicit RowSample(int64_t most = 0) : most(most) {}

  bool isAll() const { return most == 0; }
  int64_t limit() const { return most; }
  /// The rows of a tensor of that shape, in order: the first, the last, and
  /// others that are drawn, always the same ones; all if there are no more.
  std::vector<int64_t> rowsOf(const Shape &shape) const;
  /// The numbers of those rows, one behind the other.
  std::vector<double> numbersOf(const Tensor &tensor) const;
  std::vector<double> numbersOf(std::vector<double> numbers,
                                const Shape &shape) const;

private:
  int64_t most; ///< 0: all
};

/// Runs a program on the reference and gives its outputs in f64, not rounded to
/// the program's types: what results are compared with. Of a sample it gives
/// those rows alone; an attention that makes an output computes no others.
Result<PortNumbers>
runReference(const Program &program, const std::vector<PortTensors> &inputs,
             const std::function<void(int64_t, int64_t)> &progress = {},
             const RowSample &sample = RowSample());
/// The share of its operations that it needs for a sample.
double sampledShare(const Program &program, const RowSample &sample);

/// Inputs for every port of a program, by seed.
Result<std::vector<PortTensors>>
generateInputs(const Program &program, uint64_t seed,
               Distribution distribution = Distribution::Normal);

/// All shards of a local value as one tensor with the devices in front; in f32
/// where they are of a block format and have fewer than two dimensions.
Result<Tensor> stack(const PortTensors &shards);
/// The inverse, for an input of `devices` shards.
Result<PortTensors> unstack(const Tensor &stacked, int64_t devices);

/// What a run computes on whole tensors, which is no device's share, as the end
/// of a line about the devices; empty if that is next to nothing.
std::string describeWholeWork(const RunResult &result);

/// A prediction in words, several lines.
std::string describePrediction(const Program &program, const RunResult &result);

/// Whether files can be written there, as far as can be said before a run that
/// may take long: each has a folder, and is none. Empty paths are no files.
Status checkWritable(const std::vector<std::string> &paths);

/// Writes a trace that chrome://tracing and Perfetto read.
Status writeTrace(const std::string &path, const Program &program,
                  const RunResult &result);
/// Writes the statistics as JSON.
Status writeStatistics(const std::string &path, const Program &program,
                       const RunResult &result);

} // namespace ring::rt

#endif // RING_RUNTIME_RUNTIME_H
