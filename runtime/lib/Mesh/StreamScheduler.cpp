// SPDX-License-Identifier: Apache-2.0
//
// The pool. All bookkeeping is under one mutex: instructions take far longer
// than a hand-over, and one lock is easy to be sure of.

#include "Mesh/StreamScheduler.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ring::rt {

namespace {

/// The number of the pool's thread that runs this code; the caller's is 0.
thread_local int currentWorker = 0;

} // namespace

StreamScheduler::StreamScheduler(int threads, PostCarrier *carrier)
    : threads(std::max(threads, 1)), carrier(carrier), scratch(this->threads),
      scratchSize(this->threads, 0) {}

StreamScheduler::Job *StreamScheduler::openJob() {
  for (Job *job : jobs)
    if (job->next.load(std::memory_order_relaxed) < job->items)
      return job;
  return nullptr;
}

Status StreamScheduler::takeItems(Job &job, int worker) {
  void *memory = nullptr;
  if (job.scratchBytes > 0) {
    if (scratchSize[worker] < job.scratchBytes) {
      scratch[worker] = nullptr;
      scratchSize[worker] = 0;
      scratch[worker] = allocateBytes(job.scratchBytes);
      if (!scratch[worker])
        return error("there is no memory for ", job.scratchBytes,
                     " bytes of scratch");
      scratchSize[worker] = job.scratchBytes;
    }
    memory = scratch[worker].get();
  }
  while (true) {
    if (carrier && !carrier->failure())
      job.next.store(job.items);
    int64_t begin = job.next.fetch_add(job.grain);
    // Looks again: another thread may have left the rest undone meanwhile.
    if (begin >= job.items)
      return carrier ? carrier->failure() : Status::success();
    (*job.body)(begin, std::min(begin + job.grain, job.items), memory);
    // A sender stands still until its receiver polls, so a long kernel must.
    if (carrier)
      carrier->poll();
  }
}

Status StreamScheduler::parallelFor(
    int64_t items, int64_t grain, int64_t scratchBytes,
    const std::function<void(int64_t, int64_t, void *)> &body) {
  Job job;
  job.items = items;
  job.grain = std::max<int64_t>(grain, 1);
  job.scratchBytes = scratchBytes;
  job.body = &body;
  bool shared = threads > 1 && items > job.grain;
  if (shared) {
    std::lock_guard<std::mutex> lock(mutex);
    jobs.push_back(&job);
    if (idle > 0)
      changed.notify_all();
  }
  Status status = takeItems(job, currentWorker);
  if (!shared)
    return status;
  std::unique_lock<std::mutex> lock(mutex);
  // Without scratch of its own this thread takes no items; helpers may have
  // taken some, and whoever is left must not start on a job that is gone.
  if (!status)
    job.next.store(job.items);
  jobs.erase(std::find(jobs.begin(), jobs.end(), &job));
  released.wait(lock, [&] { return job.helpers == 0; });
  return status;
}

void StreamScheduler::wake(size_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (states[stream] == State::Running) {
    wakePending[stream] = true;
    return;
  }
  if (states[stream] != State::Blocked)
    return;
  states[stream] = State::Ready;
  ready.push_back(stream);
  changed.notify_one();
}

void StreamScheduler::runStream(size_t stream,
                                std::unique_lock<std::mutex> &lock) {
  states[stream] = State::Running;
  ++running;
  lock.unlock();
  Stream::Outcome outcome = streams[stream]->advance();
  lock.lock();
  --running;
  if (outcome == Stream::Outcome::Blocked) {
    if (wakePending[stream]) {
      states[stream] = State::Ready;
      ready.push_back(stream);
    } else {
      states[stream] = State::Blocked;
    }
    wakePending[stream] = false;
  } else {
    states[stream] = State::Done;
    --unfinished;
    if (outcome == Stream::Outcome::Failed)
      stopped = true;
  }
  if (unfinished == 0 || stopped)
    changed.notify_all();
  stopIfNobodyCanGoOn();
}

/// Nobody runs, nobody can, and no other process is going to bring anything:
/// nobody will ever wake the others.
void StreamScheduler::stopIfNobodyCanGoOn() {
  if (running > 0 || !ready.empty() || unfinished == 0 || stopped)
    return;
  // An arrival wakes its readers before it is no longer expected, so none can
  // slip between the two looks.
  if (carrier && carrier->expectsMore())
    return;
  stopped = standstill = true;
  changed.notify_all();
}

/// Waits for something to do. Nobody notifies a process of what another sends,
/// so with a carrier the wait is short, and polling is part of it.
void StreamScheduler::idleOnce(std::unique_lock<std::mutex> &lock) {
  if (!carrier) {
    ++idle;
    changed.wait(lock);
    --idle;
    return;
  }
  lock.unlock();
  carrier->poll();
  bool alone = !carrier->failure();
  lock.lock();
  if (alone && !stopped) {
    stopped = true;
    changed.notify_all();
  }
  stopIfNobodyCanGoOn();
  if (!ready.empty() || unfinished == 0 || stopped || openJob())
    return;
  constexpr std::chrono::microseconds kBetweenPolls(20);
  ++idle;
  changed.wait_for(lock, kBetweenPolls);
  --idle;
}

bool StreamScheduler::helpAs(int worker, std::unique_lock<std::mutex> &lock) {
  Job *job = openJob();
  if (!job)
    return false;
  ++job->helpers;
  lock.unlock();
  // A failure is seen by whoever opened the job, too; without memory the others
  // do what is left.
  (void)takeItems(*job, worker);
  lock.lock();
  if (--job->helpers == 0)
    released.notify_all();
  return true;
}

bool StreamScheduler::help() {
  std::unique_lock<std::mutex> lock(mutex);
  return helpAs(currentWorker, lock);
}

void StreamScheduler::work(int worker) {
  currentWorker = worker;
  std::unique_lock<std::mutex> lock(mutex);
  while (unfinished > 0 && !stopped) {
    if (!ready.empty()) {
      size_t stream = ready.front();
      ready.pop_front();
      runStream(stream, lock);
      continue;
    }
    if (!helpAs(worker, lock))
      idleOnce(lock);
  }
}

Status StreamScheduler::run(const std::vector<Stream *> &all) {
  streams = all;
  states.assign(all.size(), State::Ready);
  wakePending.assign(all.size(), false);
  ready.clear();
  for (size_t i = 0; i < all.size(); ++i)
    ready.push_back(i);
  unfinished = all.size();
  stopped = standstill = false;

  std::vector<std::thread> pool;
  for (int worker = 1; worker < threads; ++worker)
    pool.emplace_back([this, worker] { work(worker); });
  work(0);
  for (std::thread &thread : pool)
    thread.join();

  for (Stream *stream : streams)
    if (Status status = stream->failure(); !status)
      return status;
  if (carrier && unfinished > 0)
    if (Status status = carrier->failure(); !status)
      return status;
  if (!standstill)
    return Status::success();
  std::string report = "nothing can go on:";
  for (size_t i = 0; i < streams.size(); ++i)
    if (states[i] == State::Blocked)
      report += "\n  " + streams[i]->waitingFor();
  return Status::failure(report);
}

} // namespace ring::rt
