// The k-th call into a plugin fails, loses the device, is slow or never ends: a valid proof or a typed error,
// everything back, the next proof good, other devices untouched.
#include "flaky.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kForEver = UINT64_MAX;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kQuotient = 5;  // of the calls of a proof: quotient_ab, behind three uploads and c

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// What it takes to open a strategy and to prove once.
struct Calls {
  uint64_t open, all;
};
Calls count_calls(FlakyPlugins& plugins, const Circuit& circuit) {
  const Strategy strategy = plugins.flaky(*circuit.key, {0});
  plugins.control.calls = 0;
  { const Prover prover(plugins.services, strategy, 0, circuit.key); }
  const uint64_t open = plugins.control.calls;
  plugins.control.calls = 0;
  Engine(plugins.services, strategy).prove(circuit.key, circuit.witness);
  return {open, plugins.control.calls};
}

class Faults : public ::testing::Test {
 protected:
  FlakyPlugins plugins{2};
  Circuit circuit{plugins.services, "bn128/multiplier"};
  FlakyControl& control = plugins.control;

  /// Nothing of the engine's is left but what the circuit's own witness holds.
  void expect_all_back() {
    EXPECT_EQ(control.held, 0u);
    EXPECT_EQ(plugins.services.memory().in_use(), own_);
  }

 private:
  const uint64_t own_ = plugins.services.memory().in_use();
};

TEST_F(Faults, EveryCallThatFailsOnceIsMadeUpForByThePlainestPath) {
  const Calls calls = count_calls(plugins, circuit);
  ASSERT_GT(calls.open, 5u);
  ASSERT_GT(calls.all, calls.open + 15);
  for (uint64_t k = 1; k <= calls.all; ++k) {
    SCOPED_TRACE(k);
    {
      Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}));
      control.go_wrong(k, k, CUZK_DEVICE_ERROR);
      const ProofResult result = engine.prove(circuit.key, circuit.witness);
      EXPECT_TRUE(result.verified);
      EXPECT_TRUE(result.plainest);
      EXPECT_EQ(result.device, "flaky:0");
      ASSERT_EQ(result.failures.size(), 1u);
      EXPECT_TRUE(has(result.failures[0], "injected at call " + std::to_string(k))) << result.failures[0];
      const ProofResult next = engine.prove(circuit.key, circuit.witness);
      EXPECT_TRUE(next.verified);
      EXPECT_FALSE(next.plainest);
      EXPECT_TRUE(next.failures.empty());
      const Engine::DeviceUse use = engine.devices()[0];
      EXPECT_EQ(use.memory.held, use.layout->total());
      EXPECT_LE(control.held, use.memory.held);
    }
    expect_all_back();
  }
}

/// Memory that a call wants beyond what was planned: under a lease there is another try, while opening there is not.
TEST_F(Faults, EveryCallThatRunsOutOfMemoryIsAProofOrATypedError) {
  const Calls calls = count_calls(plugins, circuit);
  uint64_t proofs = 0;
  for (uint64_t k = 1; k <= calls.all; ++k) {
    SCOPED_TRACE(k);
    {
      Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}));
      control.go_wrong(k, k, CUZK_OUT_OF_MEMORY);
      try {
        const ProofResult result = engine.prove(circuit.key, circuit.witness);
        EXPECT_TRUE(result.verified && result.plainest);
        ++proofs;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
      }
      EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
    }
    expect_all_back();
  }
  EXPECT_GT(proofs, (calls.all - calls.open) / 2);
}

/// From all the memory that is wanted down to a twentieth of it, with a failure in every third call.
TEST_F(Faults, WithLittleMemoryAProofOrATypedError) {
  uint64_t ample = 0;
  {
    Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}, 2));
    engine.prove(circuit.key, circuit.witness);
    ample = engine.devices()[0].layout->total();
  }
  uint32_t proofs = 0, refused = 0;
  for (uint64_t percent = 100; percent > 0; percent -= 10) {
    const uint64_t limit = ample * (percent > 10 ? percent : 5) / 100;
    SCOPED_TRACE(limit);
    for (uint64_t k = 2; k <= 62; k += 3) {
      {
        Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}, 2), limit);
        control.go_wrong(k, k, CUZK_DEVICE_ERROR);
        try {
          EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
          ++proofs;
          EXPECT_LE(engine.devices()[0].memory.high_water, limit);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
          EXPECT_TRUE(has(error.what(), "needs at least")) << error.what();
          ++refused;
        }
      }
      expect_all_back();
    }
  }
  EXPECT_GT(proofs, 20u);
  EXPECT_GT(refused, 0u);
}

TEST_F(Faults, WhatFailsTwiceIsAnErrorThatNamesBothAndTheNextProofIsGood) {
  const Calls calls = count_calls(plugins, circuit);
  for (uint64_t k = 1; k <= calls.all; ++k) {
    SCOPED_TRACE(k);
    {
      Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}));
      control.go_wrong(k, kForEver, CUZK_DEVICE_ERROR);
      const Error error = error_of([&] { engine.prove(circuit.key, circuit.witness); });
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
      EXPECT_TRUE(has(error.what(), "before that: ")) << error.what();
      EXPECT_TRUE(has(error.what(), "injected at call " + std::to_string(k))) << error.what();
      control.go_well();
      EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
    }
    expect_all_back();
  }
}

/// Each k with two devices of its own: the one that is lost gives its partitions to the other.
TEST_F(Faults, ALostDeviceGivesItsPartitionsToTheOther) {
  const Calls calls = count_calls(plugins, circuit);
  for (uint32_t k = 1; k <= calls.all; ++k) {
    SCOPED_TRACE(k);
    {
      Engine engine(plugins.services, plugins.flaky(*circuit.key, {100 + 2 * k, 101 + 2 * k}, 2));
      control.go_wrong(k, k, CUZK_DEVICE_LOST);
      std::atomic<uint32_t> good{0}, moved{0};
      {
        JobQueue queue(engine.most_in_flight());
        std::vector<std::future<void>> done;
        for (int i = 0; i < 6; ++i) {
          done.push_back(queue.submit([&](uint64_t) {
            const ProofResult result = engine.prove(circuit.key, circuit.witness);
            if (result.verified && !result.plainest) ++good;
            if (!result.failures.empty() && has(result.failures[0], "the process must be restarted")) ++moved;
          }));
        }
        for (auto& one : done) EXPECT_NO_THROW(one.get());
      }
      EXPECT_EQ(good, 6u);
      EXPECT_GE(moved, 1u);
      const auto uses = engine.devices();
      ASSERT_NE(uses[0].device->lost(), uses[1].device->lost());
      const size_t lost = uses[0].device->lost() ? 0 : 1;
      EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
      EXPECT_EQ(engine.devices()[lost].proofs, uses[lost].proofs) << "nothing more on it";
    }
    expect_all_back();
  }
}

TEST_F(Faults, WithEveryDeviceLostAllProofsFailAtOnce) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {50, 51}));
  control.go_wrong(1, kForEver, CUZK_DEVICE_LOST);
  for (int i = 0; i < 3; ++i) {
    const Error error = error_of([&] { engine.prove(circuit.key, circuit.witness); });
    EXPECT_EQ(error.code(), ErrorCode::unusable);
    EXPECT_EQ(exit_code(error.code()), 4);
    EXPECT_TRUE(has(error.what(), "the process must be restarted")) << error.what();
  }
  EXPECT_LE(control.calls, 2u) << "no call is made on a lost device";
}

TEST_F(Faults, ALostDeviceIsNotTriedAgainAlone) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {60}));
  const Calls calls = count_calls(plugins, circuit);
  control.go_wrong(calls.open + 8, calls.open + 8, CUZK_DEVICE_LOST);
  EXPECT_EQ(error_of([&] { engine.prove(circuit.key, circuit.witness); }).code(), ErrorCode::unusable);
  EXPECT_EQ(control.calls, calls.open + 8);
}

TEST_F(Faults, BadInputIsNotTriedAgain) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}));
  const Circuit other(plugins.services, "bn128/multipublic");
  EXPECT_EQ(error_of([&] { engine.prove(circuit.key, other.witness); }).code(), ErrorCode::bad_input);
  EXPECT_EQ(engine.devices()[0].proofs, 1u);
  Witness wrong = product_of(plugins.services, Curve::bn254, 3, 5);
  wrong.values.data()[1] = {{16, 0, 0, 0}};
  EXPECT_EQ(error_of([&] { engine.prove(circuit.key, wrong); }).code(), ErrorCode::unverified);
  const Engine::DeviceUse use = engine.devices()[0];
  EXPECT_EQ(use.proofs, 2u);
  EXPECT_EQ(use.memory.held, use.layout->total()) << "known without any proof that succeeded";
}

/// While others are under way: they go on, and what is tried again is alone on the device.
TEST_F(Faults, WhatIsTriedAgainIsAloneAndTheOthersGoOn) {
  for (const char* lock : {"none", "single-lock"}) {
    SCOPED_TRACE(lock);
    Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}, 3, lock));
    engine.prove(circuit.key, circuit.witness);
    plugins.services.timeline().take();
    control.sleep_ms = 1;
    control.go_wrong(20, 20, CUZK_DEVICE_ERROR);
    std::atomic<uint32_t> good{0};
    std::atomic<uint64_t> again{0};
    {
      JobQueue queue(engine.most_in_flight());
      for (int i = 0; i < 12; ++i) {
        queue.submit([&](uint64_t) {
          const ProofResult result = engine.prove(circuit.key, circuit.witness);
          if (result.verified) ++good;
          if (result.plainest) again = result.ticket;
        });
      }
      while (good < 12 && control.calls < 5000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    control.sleep_ms = 0;
    EXPECT_EQ(good, 12u);
    ASSERT_NE(again, 0u);
    const std::vector<Event> events = plugins.services.timeline().take();
    const auto in_phase = [](const Event& e) { return e.name == "in stage" || e.name == "in compute"; };
    for (const Event& own : events) {
      if (own.ticket != again || !in_phase(own)) continue;
      for (const Event& other : events) {
        if (other.ticket == again || !in_phase(other)) continue;
        EXPECT_TRUE(other.end_ns <= own.begin_ns || own.end_ns <= other.begin_ns) << other.ticket;
      }
    }
  }
}

TEST_F(Faults, WhatNeverEndsEndsAtItsDeadline) {
  const Calls calls = count_calls(plugins, circuit);
  for (uint64_t k = calls.open + 1; k + 8 < calls.all; k += 5) {
    SCOPED_TRACE(k);
    {
      Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}));
      control.hang = true;
      control.go_wrong(k, kForEver, 0);
      const ProofJob job(plugins.services.now_ns() + kSecond / 5);
      const Error error = error_of([&] { engine.prove(circuit.key, circuit.witness, of(job)); });
      control.go_well();
      control.hang = false;
      EXPECT_EQ(error.code(), ErrorCode::deadline) << error.what();
      EXPECT_TRUE(has(error.what(), "not proved in the time that its job has")) << error.what();
      const ProofResult next = engine.prove(circuit.key, circuit.witness);
      EXPECT_TRUE(next.verified && !next.plainest) << "a deadline is no failure to try again";
    }
    expect_all_back();
  }
}

/// Also where nobody proves yet: the masks of a Filecoin key are sent as the device is opened for it.
TEST_F(Faults, WhatNeverEndsWhileAKeyIsLoadedEndsAtTheDeadline) {
  const Workload workload(parse_workload("porep:5,curve=bls12-381"));
  const auto key = setup(workload.circuit(), workload.conventions(), 1, plugins.services.cpu());
  const Witness witness = workload.witness(0, plugins.services.cpu(), plugins.services.memory());
  Engine engine(plugins.services, plugins.flaky(*key, {0}));
  control.hang = true;
  control.go_wrong(1, kForEver, 0);
  const ProofJob job(plugins.services.now_ns() + kSecond / 5);
  EXPECT_EQ(error_of([&] { engine.prove(key, witness, of(job)); }).code(), ErrorCode::deadline);
  EXPECT_EQ(engine.devices()[0].keys_opened, 0u);
  control.go_well();
  EXPECT_TRUE(engine.prove(key, witness).verified);
}

/// One of three workers hangs until its job is cancelled; the others prove meanwhile.
TEST_F(Faults, WhatNeverEndsHoldsNobodyUpAndEndsWhenItIsCancelled) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}, 3, "none"));
  engine.prove(circuit.key, circuit.witness);
  control.hang = true;
  control.go_wrong(kQuotient, kQuotient, 0);
  ProofJob stuck;
  std::atomic<int> code{-1};
  std::thread hanging([&] {
    code = static_cast<int>(error_of([&] { engine.prove(circuit.key, circuit.witness, of(stuck)); }).code());
  });
  while (control.calls < kQuotient) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
  EXPECT_EQ(code, -1);
  stuck.cancel();
  hanging.join();
  EXPECT_EQ(code, static_cast<int>(ErrorCode::cancelled));
  EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
}

/// On a device where one hangs another failed, so that it waits to be alone there: newcomers pass it a few times, then
/// leave that device to it and go to the other.
TEST_F(Faults, ARetryThatWaitsForAStuckDeviceHoldsNobodyUpOnAnother) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {0, 1}, 3, "none"));
  engine.prove(circuit.key, circuit.witness);
  control.hang = true;
  control.go_wrong(kQuotient, kQuotient, 0);
  ProofJob stuck;
  std::thread hanging([&] { error_of([&] { engine.prove(circuit.key, circuit.witness, of(stuck)); }); });
  while (control.hung == 0) std::this_thread::yield();
  control.hang = false;
  control.go_wrong(kQuotient, kQuotient, CUZK_DEVICE_ERROR);
  bool plainest = false;
  std::thread failing([&] { plainest = engine.prove(circuit.key, circuit.witness).plainest; });
  while (control.calls < kQuotient) std::this_thread::yield();
  for (uint32_t i = 0; i < 2 * Engine::kMostPassed; ++i) {
    const ProofJob job(plugins.services.now_ns() + 10 * kSecond);
    EXPECT_NO_THROW(engine.prove(circuit.key, circuit.witness, of(job))) << i;
  }
  const auto uses = engine.devices();
  EXPECT_EQ(uses[0].keys_opened, 1u);
  EXPECT_EQ(uses[1].keys_opened, 1u) << "while the first was kept for the one that failed";
  stuck.cancel();
  hanging.join();
  failing.join();
  EXPECT_TRUE(plainest);
}

/// A job's deadline stops those that wait as well.
TEST_F(Faults, ALateJobEndsWhereverItsPartitionsWait) {
  Engine engine(plugins.services, plugins.flaky(*circuit.key, {0}, 1));
  engine.prove(circuit.key, circuit.witness);
  control.hang = true;
  control.go_wrong(kQuotient, kQuotient, 0);
  const ProofJob job(plugins.services.now_ns() + kSecond / 5);
  std::atomic<uint32_t> late{0}, other{0};
  {
    JobQueue queue(8);
    for (int i = 0; i < 8; ++i) {
      queue.submit([&](uint64_t) {
        const Error error = error_of([&] { engine.prove(circuit.key, circuit.witness, of(job)); });
        ++(error.code() == ErrorCode::deadline ? late : other);
      });
    }
    while (late + other < 8) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(late, 8u);
  control.hang = false;
  EXPECT_TRUE(engine.prove(circuit.key, circuit.witness).verified);
}

}  // namespace
}  // namespace cuzk::testing
