// Partitions under way side by side: what the CPU does for one overlaps what the device does for another, within the
// host memory that was planned.
#include "flaky.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::testing {
namespace {

/// A synthetic circuit that takes some milliseconds in each stage.
struct Work {
  explicit Work(Plugins& plugins, const char* spec)
      : services(plugins.services),
        workload(parse_workload(spec)),
        key(setup(workload.circuit(), workload.conventions(), 1, plugins.services.cpu())) {}

  WitnessSource witness(uint32_t partition) const {
    return [this, partition] { return workload.witness(partition, services.cpu(), services.memory()); };
  }

  HostServices& services;
  const Workload workload;
  const std::shared_ptr<const ProvingKey> key;
};

std::vector<ProofResult> prove_all(Engine& engine, const Work& work, uint32_t partitions) {
  const ProofJob job;
  ProveOptions options = of(job);
  options.insecure_seed = 5;
  std::vector<ProofResult> results(partitions);
  std::vector<std::future<void>> done;
  JobQueue queue(engine.most_in_flight());
  for (uint32_t i = 0; i < partitions; ++i) {
    done.push_back(queue.submit([&, i](uint64_t) { results[i] = engine.prove(work.key, work.witness(i), options); }));
  }
  for (auto& one : done) one.get();
  return results;
}

bool overlap(const Event& a, const Event& b) { return a.begin_ns < b.end_ns && b.begin_ns < a.end_ns; }

TEST(Pipeline, TheCpuPreparesAndFinishesWhileOneWorkerIsOnTheDevice) {
  FlakyPlugins plugins(2);
  const Work work(plugins, "porep:9,partitions=6");
  Engine engine(plugins.services, plugins.flaky(*work.key, {0}));
  prove_all(engine, work, 1);
  plugins.services.timeline().take();
  plugins.control.sleep_ms = 5;
  prove_all(engine, work, 6);
  plugins.control.sleep_ms = 0;
  const std::vector<Event> events = plugins.services.timeline().take();
  uint32_t prepared = 0, finished = 0;
  for (const Event& cpu : events) {
    const bool prepares = cpu.name == "evaluate", finishes = cpu.name == "verify" || cpu.name == "assemble";
    if (!prepares && !finishes) continue;
    EXPECT_EQ(cpu.device, "");
    for (const Event& device : events) {
      if (device.name != "in compute" && device.name != "in stage") continue;
      if (device.ticket == cpu.ticket) {
        EXPECT_FALSE(overlap(cpu, device)) << cpu.name << " under a lease";
      } else if (overlap(cpu, device)) {
        ++(prepares ? prepared : finished);
        break;
      }
    }
  }
  EXPECT_GE(prepared, 3u);
  EXPECT_GE(finished, 3u);
  // One partition on the device at a time, and none of its lanes does two things at once.
  for (const Event& a : events) {
    for (const Event& b : events) {
      if (&a == &b || a.ticket == b.ticket || !overlap(a, b)) continue;
      EXPECT_FALSE(a.name == "in compute" && b.name == "in compute");
      EXPECT_FALSE(a.device.empty() && b.device.empty() && a.ticket != 0 && b.ticket != 0 && a.worker == b.worker)
          << a.name << " " << b.name;
    }
  }
}

TEST(Pipeline, ResultsComeInTheOrderOfThePartitionsWhateverRunsWhen) {
  FlakyPlugins plugins(2);
  const Work work(plugins, "porep:6,partitions=8");
  std::vector<std::string> expected;
  {
    Engine engine(plugins.services, plugins.flaky(*work.key, {0}));
    for (uint32_t i = 0; i < 8; ++i) {
      ProveOptions options;
      options.insecure_seed = 5;
      expected.push_back(proof_json(engine.prove(work.key, work.witness(i), options).proof));
    }
  }
  for (const uint32_t workers : {1U, 3U}) {
    Engine engine(plugins.services, plugins.flaky(*work.key, {0, 1}, workers));
    const auto results = prove_all(engine, work, 8);
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(proof_json(results[i].proof), expected[i]) << i;
  }
}

/// The largest limit is what all that can be in flight takes, the least is what one partition takes.
TEST(Pipeline, HostMemoryIsPlannedHeldToAndRefusedBelowOnePartition) {
  FlakyPlugins plugins(2);
  const Work work(plugins, "porep:9,partitions=6");
  HostPool& pool = plugins.services.memory();
  for (const bool remote : {true, false}) {
    SCOPED_TRACE(remote);
    const Strategy strategy =
        remote ? plugins.flaky(*work.key, {0}, 2) : plugins.strategy(*work.key, "none", 2, {"cpu:0"});
    HostPlan plan;
    {
      Engine engine(plugins.services, strategy);
      prove_all(engine, work, 1);
      plan = *engine.devices()[0].host;
    }
    EXPECT_EQ(plan.in_flight, 4u);
    for (uint32_t room = 4; room >= 1; --room) {
      SCOPED_TRACE(room);
      const uint64_t limit = plan.workers * plan.worker() + room * plan.partition;
      Engine engine(plugins.services, strategy, {}, limit);
      uint64_t most = 0;
      std::atomic<bool> over{false};
      std::thread watch([&] {
        while (!over) most = std::max(most, pool.held());
      });
      const auto results = prove_all(engine, work, 6);
      over = true;
      watch.join();
      for (const ProofResult& result : results) EXPECT_TRUE(result.verified);
      EXPECT_EQ(engine.devices()[0].host->in_flight, room);
      EXPECT_LE(most, limit);
    }
    const uint64_t least = plan.workers * plan.worker() + plan.partition;
    Engine engine(plugins.services, strategy, {}, least - 1);
    const Error error = error_of([&] { engine.prove(work.key, work.witness(0)); });
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    const std::string text = error.what();
    for (const std::string& figure : {std::to_string(least), std::to_string(least - 1), std::string("--host-memory")}) {
      EXPECT_NE(text.find(figure), text.npos) << text;
    }
    pool.set_limit({});
  }
}

/// A second attempt gives the witness back first: it fits where one partition does.
TEST(Pipeline, AnotherAttemptStaysWithinTheHostMemoryOfOnePartition) {
  FlakyPlugins plugins(2);
  const Work work(plugins, "dense:6");
  HostPlan plan;
  {
    Engine engine(plugins.services, plugins.flaky(*work.key, {0}));
    prove_all(engine, work, 1);
    plan = *engine.devices()[0].host;
  }
  Engine engine(plugins.services, plugins.flaky(*work.key, {0}), {}, plan.worker() + plan.partition);
  plugins.control.go_wrong(15, 15, CUZK_DEVICE_ERROR);
  const ProofResult result = engine.prove(work.key, work.witness(0));
  EXPECT_TRUE(result.verified && result.plainest);
}

}  // namespace
}  // namespace cuzk::testing
