// SPDX-License-Identifier: Apache-2.0
//
// One run over all ranks: agree, run what is here, bring the results to rank 0.

#include "Mpi/MpiBackend.h"

#include "Mesh/LocalStreams.h"
#include "Mpi/MpiCarrier.h"
#include "Mpi/RankReport.h"
#include "Mpi/RankWatch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>

namespace ring::rt {

namespace {

/// Mixes bytes into a number that differs where they do, but for chance.
uint64_t mixBytes(uint64_t hash, const uint8_t *data, int64_t size) {
  constexpr uint64_t kPrime = 1099511628211u;
  for (int64_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + i, std::min<int64_t>(8, size - i));
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
  }
  return hash;
}

uint64_t hashOf(const std::vector<PortTensors> &inputs) {
  uint64_t hash = 14695981039346656037u;
  for (const PortTensors &port : inputs)
    for (const Tensor &tensor : port)
      hash = mixBytes(hash, tensor.data(), tensor.bytes());
  return hash;
}

/// What all ranks must have in common, and what it is called.
constexpr const char *kTerms[] = {"program", "device memory limit",
                                  "number of threads", "choice of a trace",
                                  "inputs"};
using Terms = std::array<uint64_t, std::size(kTerms)>;

/// One run on one rank.
class RankRun {
public:
  RankRun(MpiSession &session, const Program &program,
          const std::vector<PortTensors> &inputs, const RunOptions &options)
      : session(session), program(program), inputs(inputs), options(options),
        deal(program.deviceCount(), session.ranks) {
    if (session.rank != 0)
      this->options.progress = nullptr;
  }

  Result<RunResult> run();

private:
  Status agree();
  void postInputs(MeshRun &mesh);
  RankReport report(MeshRun &mesh, LocalStreams &streams, double seconds);
  Status sendResults(LocalStreams &streams, const RankReport &own);
  Result<RunResult> collect(LocalStreams &streams, const RankReport &own);
  Result<RankReport> receiveReport(int from);
  void enter(const RankReport &from, int rank, RunResult &result);

  MpiSession &session;
  const Program &program;
  const std::vector<PortTensors> &inputs;
  RunOptions options;
  RankDeal deal;
};

Status RankRun::agree() {
  Terms own = {program.hash(), static_cast<uint64_t>(options.deviceMemory),
               static_cast<uint64_t>(options.threads), options.trace,
               hashOf(inputs)};
  std::vector<Terms> all(session.ranks);
  std::vector<MPI_Request> requests(1);
  {
    std::lock_guard<std::mutex> lock(session.mutex);
    MPI_Iallgather(own.data(), own.size(), MPI_UINT64_T, all.data(), own.size(),
                   MPI_UINT64_T, session.results, requests.data());
  }
  if (Status status = session.waitAll(requests); !status)
    return status;
  for (size_t term = 0; term < own.size(); ++term) {
    std::string others;
    for (int rank = 1; rank < session.ranks; ++rank)
      if (all[rank][term] != all[0][term])
        others += (others.empty() ? "" : ", ") + std::to_string(rank);
    if (!others.empty())
      return error("expects the same ", kTerms[term],
                   " on all ranks, but got another than rank 0's on rank ",
                   others);
  }
  return Status::success();
}

Result<RunResult> RankRun::run() {
  if (Status status = agree(); !status)
    return status;
  Result<TransferPlan> plan =
      TransferPlan::of(program, deal, session.rank, session.tagLimit);
  if (!plan)
    return plan.status();
  MpiCarrier carrier(program, std::move(*plan), session);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  MeshRun mesh(program, threadsOr(options, cores / session.ranksHere), options,
               deal.streamsOf(session.rank), &carrier);
  LocalStreams streams(mesh);
  if (Status status = streams.bind(inputs); !status)
    return status;
  if (session.rank != 0)
    postInputs(mesh);
  if (Status status = streams.run(); !status)
    return status;
  double seconds = mesh.now();
  if (Status status = carrier.drain(); !status)
    return status;
  RankReport own = report(mesh, streams, seconds);
  if (session.rank == 0)
    return collect(streams, own);
  if (Status status = sendResults(streams, own); !status)
    return status;
  RunResult result;
  result.rank = session.rank;
  result.seconds = seconds;
  return result;
}

/// Posts in the host's place what all ranks have: the inputs that are sharded.
void RankRun::postInputs(MeshRun &mesh) {
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    size_t port = TransferPlan::inputShared(program, i);
    if (port < inputs.size() && mesh.readersHere(i) > 0)
      mesh.board.post(i, program.deviceCount(),
                      {Storage::wrap(inputs[port][0].shared())},
                      mesh.readersHere(i));
  }
}

RankReport RankRun::report(MeshRun &mesh, LocalStreams &streams,
                           double seconds) {
  RankReport own;
  own.seconds = seconds;
  own.sent.assign(mesh.sent.begin(), mesh.sent.end());
  for (int64_t stream : deal.streamsOf(session.rank)) {
    own.streams.push_back(streams.at(stream).takeStatistics());
    std::vector<TraceEvent> trace = streams.at(stream).takeTrace();
    own.trace.insert(own.trace.end(), trace.begin(), trace.end());
  }
  return own;
}

/// Sends the local outputs, in the order of ports and devices, then the report
/// with its size in front.
Status RankRun::sendResults(LocalStreams &streams, const RankReport &own) {
  std::vector<uint8_t> bytes = own.pack();
  uint64_t size = bytes.size();
  std::vector<MPI_Request> requests;
  {
    std::lock_guard<std::mutex> lock(session.mutex);
    for (const Port &port : program.outputs())
      for (int64_t device :
           holdersOf(program, program.values()[port.value].placement)) {
        if (!streams.has(device))
          continue;
        Tensor tensor = streams.tensorOf(device, port.value);
        startSend(tensor.data(), tensor.bytes(), 0, 0, session.results,
                  requests);
      }
    startSend(&size, sizeof(size), 0, 0, session.results, requests);
    startSend(bytes.data(), bytes.size(), 0, 0, session.results, requests);
  }
  return session.waitAll(requests);
}

Result<RankReport> RankRun::receiveReport(int from) {
  uint64_t size = 0;
  std::vector<MPI_Request> requests;
  {
    std::lock_guard<std::mutex> lock(session.mutex);
    startReceive(&size, sizeof(size), from, 0, session.results, requests);
  }
  if (Status status = session.waitAll(requests); !status)
    return status;
  std::vector<uint8_t> bytes(size);
  requests.clear();
  {
    std::lock_guard<std::mutex> lock(session.mutex);
    startReceive(bytes.data(), bytes.size(), from, 0, session.results,
                 requests);
  }
  if (Status status = session.waitAll(requests); !status)
    return status;
  return RankReport::unpack(bytes);
}

void RankRun::enter(const RankReport &from, int rank, RunResult &result) {
  result.seconds = std::max(result.seconds, from.seconds);
  std::vector<int64_t> streams = deal.streamsOf(rank);
  for (size_t i = 0; i < streams.size(); ++i) {
    bool isHost = streams[i] == program.deviceCount();
    DeviceStatistics &into = isHost ? result.host : result.devices[streams[i]];
    into = from.streams[i];
    into.bytesSent = 0;
  }
  result.trace.insert(result.trace.end(), from.trace.begin(), from.trace.end());
}

Result<RunResult> RankRun::collect(LocalStreams &streams,
                                   const RankReport &own) {
  RunResult result;
  std::vector<std::pair<int, Tensor>> arriving; // rank and result
  for (const Port &port : program.outputs()) {
    const ValueType &type = program.values()[port.value];
    PortTensors tensors;
    for (int64_t stream : holdersOf(program, type.placement)) {
      if (streams.has(stream)) {
        tensors.push_back(streams.tensorOf(stream, port.value));
        continue;
      }
      Result<Tensor> tensor = Tensor::zeros(type.element, type.shape);
      if (!tensor)
        return tensor.status();
      tensors.push_back(*tensor);
      arriving.push_back({deal.rankOf(stream), *tensor});
    }
    result.outputs.push_back(std::move(tensors));
  }
  std::vector<MPI_Request> requests;
  {
    std::lock_guard<std::mutex> lock(session.mutex);
    for (auto &[rank, tensor] : arriving)
      startReceive(tensor.data(), tensor.bytes(), rank, 0, session.results,
                   requests);
  }
  if (Status status = session.waitAll(requests); !status)
    return status;

  std::vector<RankReport> reports = {own};
  for (int rank = 1; rank < session.ranks; ++rank) {
    Result<RankReport> report = receiveReport(rank);
    if (!report)
      return error("the report of rank ", rank, ": ", report.message());
    reports.push_back(std::move(*report));
  }
  result.devices.resize(program.deviceCount());
  for (int rank = 0; rank < session.ranks; ++rank)
    enter(reports[rank], rank, result);
  // Readers count what they get; what a device has sent is what all got of it.
  for (const RankReport &report : reports) {
    for (int64_t device = 0; device < program.deviceCount(); ++device)
      result.devices[device].bytesSent += report.sent[device];
    result.host.bytesSent += report.sent[program.deviceCount()];
  }
  return result;
}

/// The backend itself: a failure on this rank is made known to all.
class MpiBackend final : public Backend {
public:
  explicit MpiBackend(MpiSession &ranks) : ranks(ranks) {}

  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override {
    std::lock_guard<std::mutex> lock(ranks.running);
    {
      std::lock_guard<std::mutex> guard(ranks.mutex);
      if (Status status = ranks.stillWell(); !status)
        return status;
    }
    Result<RunResult> result = watchedRun(program, inputs, options);
    if (result) {
      ranks.noteSuccess();
      return result;
    }
    Status failure = result.status().in("rank " + std::to_string(ranks.rank));
    ranks.announceFailure(failure);
    return failure;
  }

private:
  /// Where MPI is somebody else's, who may call it between our runs, ranks are
  /// watched during the run alone.
  Result<RunResult> watchedRun(const Program &program,
                               const std::vector<PortTensors> &inputs,
                               const RunOptions &options) {
    std::optional<RankWatch> watch;
    if (!ranks.ownsMpi())
      watch.emplace(ranks);
    return RankRun(ranks, program, inputs, options).run();
  }

  MpiSession &ranks;
};

} // namespace

bool mpiIsBuiltIn() { return true; }

Result<std::unique_ptr<Backend>> makeMpiBackend() {
  Result<MpiSession *> session = MpiSession::join();
  if (!session)
    return session.status();
  // From joining to the end of the process, which is before the session's.
  if ((*session)->ownsMpi())
    static RankWatch watch(**session);
  return std::unique_ptr<Backend>(std::make_unique<MpiBackend>(**session));
}

} // namespace ring::rt
