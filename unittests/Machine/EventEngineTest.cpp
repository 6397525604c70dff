// SPDX-License-Identifier: Apache-2.0
//
// The event engine: order, resources, the critical path, and speed.

#include "ring/Machine/EventEngine.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ring::machine {
namespace {

TEST(EventEngine, WaitsForDependenciesAndResources) {
  EventEngine engine(1);
  ResourceId core = engine.addResource(), link = engine.addResource();
  TaskId send = engine.addTask(0, TaskKind::Transfer, 3, {}, {link});
  TaskId local = engine.addTask(0, TaskKind::Compute, 2, {}, {core});
  TaskId remote =
      engine.addTask(0, TaskKind::Compute, 2, {send, local}, {core});
  EngineResult result = engine.run();
  EXPECT_EQ(result.tasks[local].end, 2);
  EXPECT_EQ(result.tasks[remote].start, 3);
  EXPECT_EQ(result.seconds, 5);
  EXPECT_EQ(result.busy[core], 4);
  EXPECT_EQ(result.busy[link], 3);
  EXPECT_EQ(result.exposed[0], 1);
  EXPECT_EQ(result.waiting[0], 0);
  EXPECT_EQ(result.criticalPath, (std::vector<TaskId>{send, remote}));
}

TEST(EventEngine, WhoIsReadyFirstGoesFirst) {
  EventEngine engine(2);
  ResourceId link = engine.addResource();
  TaskId slow = engine.addTask(0, TaskKind::Compute, 5, {}, {});
  TaskId late = engine.addTask(0, TaskKind::Transfer, 1, {slow}, {link});
  TaskId quick = engine.addTask(1, TaskKind::Compute, 4, {}, {});
  TaskId early = engine.addTask(1, TaskKind::Transfer, 3, {quick}, {link});
  EngineResult result = engine.run();
  EXPECT_EQ(result.tasks[early].start, 4);
  EXPECT_EQ(result.tasks[late].start, 7);
  // The link was held by the other device's transfer.
  EXPECT_EQ(result.criticalPath, (std::vector<TaskId>{quick, early, late}));
}

TEST(EventEngine, TellsExposedFromWaiting) {
  EventEngine engine(2);
  ResourceId a = engine.addResource(), b = engine.addResource();
  TaskId slow = engine.addTask(0, TaskKind::Compute, 10, {}, {a});
  TaskId quick = engine.addTask(1, TaskKind::Compute, 4, {}, {b});
  TaskId send = engine.addTask(0, TaskKind::Transfer, 2, {slow}, {});
  engine.addTask(1, TaskKind::Compute, 1, {quick, send}, {b});
  EngineResult result = engine.run();
  EXPECT_EQ(result.exposed[1], 2);
  EXPECT_EQ(result.waiting[1], 6);
  // Its own last transfer hides behind nothing on device 0.
  EXPECT_EQ(result.exposed[0], 2);
}

TEST(EventEngine, TransfersInARowAreAllExposed) {
  EventEngine engine(1);
  ResourceId core = engine.addResource(), link = engine.addResource();
  TaskId keys = engine.addTask(0, TaskKind::Transfer, 2, {}, {link});
  TaskId values = engine.addTask(0, TaskKind::Transfer, 3, {}, {link});
  TaskId both = engine.addTask(0, TaskKind::Other, 0, {keys, values}, {});
  engine.addTask(0, TaskKind::Compute, 1, {both}, {core});
  EngineResult result = engine.run();
  EXPECT_EQ(result.exposed[0], 5);
  EXPECT_EQ(result.waiting[0], 0);
}

TEST(EventEngine, TasksOfNoLengthAndNoTasks) {
  EXPECT_EQ(EventEngine(3).run().seconds, 0);
  EventEngine engine(1);
  TaskId first = engine.addTask(0, TaskKind::Other, 0, {}, {});
  engine.addTask(0, TaskKind::Other, 0, {first}, {});
  EXPECT_EQ(engine.run().seconds, 0);
  EXPECT_EQ(engine.run().criticalPath.size(), 1u);
}

/// A ring of `devices` where every step computes and passes on.
EventEngine ringOf(int devices, int steps) {
  EventEngine engine(devices);
  std::vector<ResourceId> cores, links;
  std::vector<TaskId> compute(devices, -1), arrived(devices, -1);
  for (int i = 0; i < devices; ++i) {
    cores.push_back(engine.addResource());
    links.push_back(engine.addResource());
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<TaskId> sent(devices);
    for (int i = 0; i < devices; ++i) {
      std::vector<TaskId> after;
      if (step > 0)
        after = {arrived[i], compute[i]};
      compute[i] = engine.addTask(i, TaskKind::Compute, 1.0 + i % 7 * 0.01,
                                  after, {cores[i]});
      sent[(i + 1) % devices] =
          engine.addTask(i, TaskKind::Transfer, 0.5, after, {links[i]});
    }
    arrived = sent;
  }
  return engine;
}

TEST(EventEngine, GivesTheSameTimesAgain) {
  EngineResult first = ringOf(16, 50).run(), second = ringOf(16, 50).run();
  EXPECT_EQ(first.seconds, second.seconds);
  EXPECT_EQ(first.criticalPath, second.criticalPath);
  for (size_t i = 0; i < first.tasks.size(); ++i)
    EXPECT_EQ(first.tasks[i].start, second.tasks[i].start);
}

TEST(EventEngine, RunsAThousandDevicesInSeconds) {
  auto begin = std::chrono::steady_clock::now();
  EngineResult result = ringOf(1024, 1000).run();
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  EXPECT_NEAR(result.seconds, 1060, 1e-6);
  // Two million tasks; generous, for a machine that does other things too.
  EXPECT_LT(seconds, 30);
}

} // namespace
} // namespace ring::machine
