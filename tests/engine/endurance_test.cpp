// A process that proves and proves: no growth. And one CPU is enough for any number of workers.
#include "flaky.hpp"
#include "one_cpu.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <unistd.h>

#include <cuzk/groth16/engine.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::testing {
namespace {

struct Held {
  uint64_t bytes, handles, threads;

  static Held now() {
    uint64_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return {resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), entries("/proc/self/fd"),
            entries("/proc/self/task")};
  }

 private:
  static uint64_t entries(const char* folder) {
    const std::filesystem::directory_iterator listing(folder);
    return static_cast<uint64_t>(std::distance(begin(listing), end(listing)));
  }
};

/// Every 50th proof meets a failure and is made by the plainest path, every 70th is cancelled, two keys take turns.
TEST(Endurance, AThousandProofsInOneProcessGrowNothing) {
  constexpr uint32_t kProofs = 1000, kRound = 100;
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  FlakyPlugins plugins(2);
  const Circuit one(plugins.services, "bn128/multiplier"), other(plugins.services, "bls12381/multiplier");
  Engine engine(plugins.services, plugins.flaky(*one.key, {0}, 2));
  JobQueue queue(engine.most_in_flight());
  std::atomic<uint32_t> good{0}, plainest{0}, cancelled{0};
  const auto prove = [&](uint32_t i) {
    ProofJob job;
    if (i % 70 == 69) job.cancel();
    if (i % 50 == 49) plugins.control.go_wrong(5, 5, CUZK_DEVICE_ERROR);
    const Circuit& circuit = i / 10 % 2 == 0 ? one : other;
    try {
      const ProofResult result = engine.prove(circuit.key, circuit.witness, of(job));
      if (result.verified) ++good;
      if (result.plainest) ++plainest;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) ++cancelled;
    }
  };
  Held before{}, after{};
  for (uint32_t round = 0; round < kProofs / kRound; ++round) {
    std::vector<std::future<void>> done;
    for (uint32_t i = 0; i < kRound; ++i) {
      done.push_back(queue.submit([&, i](uint64_t) { prove(round * kRound + i); }));
    }
    for (auto& each : done) each.get();
    plugins.services.timeline().take();
    after = Held::now();
    if (round == 2) before = after;
  }
  EXPECT_EQ(good + cancelled, kProofs);
  EXPECT_EQ(cancelled, 14u);
  EXPECT_GE(plainest, 10u);
  std::cout << "resident " << before.bytes / 1024 << " KiB after 300 proofs, " << after.bytes / 1024 << " KiB after "
            << kProofs << "\n";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(after.bytes, before.bytes + 2 * kMiB);
#endif
  EXPECT_EQ(after.handles, before.handles);
  EXPECT_LE(after.threads, before.threads);
}

using OneCpuEngine = OneCpu;
INSTANTIATE_TEST_SUITE_P(Threads, OneCpuEngine, ::testing::Values(1, 2, 3), ::testing::PrintToStringParamName());

TEST_P(OneCpuEngine, FourWorkersEnd) {
  FlakyPlugins plugins(GetParam());
  const Circuit circuit(plugins.services, "bn128/multiplier");
  for (const char* lock : {"none", "single-lock"}) {
    for (const bool remote : {false, true}) {
      SCOPED_TRACE(std::string(lock) + (remote ? " remote" : " in place"));
      Engine engine(plugins.services,
                    remote ? plugins.flaky(*circuit.key, {0}, 4, lock) : plugins.strategy(*circuit.key, lock, 4));
      std::atomic<uint32_t> good{0};
      {
        JobQueue queue(engine.most_in_flight());
        std::vector<std::future<void>> done;
        for (int i = 0; i < 24; ++i) {
          done.push_back(queue.submit([&](uint64_t) {
            if (engine.prove(circuit.key, circuit.witness).verified) ++good;
          }));
        }
        for (auto& one : done) one.get();
      }
      EXPECT_EQ(good, 24u);
    }
  }
}

}  // namespace
}  // namespace cuzk::testing
