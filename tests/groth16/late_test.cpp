// Copies that end long after the calls that start them, from page-locked memory where there is some: every kernel waits
// for what it reads, and after an error nothing runs where others work next.
#include "late_engine.hpp"
#include "synthetic_key.hpp"
#include "vectors.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/groth16/engine.hpp>

namespace cuzk::testing {
namespace {

constexpr uint32_t kPinned = 1U << CUZK_PATH_PINNED, kRing = 1U << CUZK_PATH_RING, kPageable = 1U << CUZK_PATH_PAGEABLE;

FakeOptions named(FakeOptions options, const char* label) {
  options.label = label;
  return options;
}

class Late : public ::testing::TestWithParam<FakeOptions> {
 protected:
  void expect_nothing_runs(const LateEngine& engine) {
    EXPECT_EQ(engine.device->running(), 0u);
    for (const std::string& what : engine.device->wrong()) ADD_FAILURE() << what;
  }

  HostServices services{3};
  const std::shared_ptr<const ProvingKey> key = synthetic_key({Curve::bn254, CUZK_H_MONOMIAL, true, true});
};

TEST_P(Late, ProofsAreWhatTheyAreInTime) {
  const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  ProveOptions options;
  options.insecure_seed = 5;
  FakeEngine plain({});
  Prover in_time(services, plain.strategy, 0, key);
  const std::string expected = proof_json(in_time.prove(witness, options).proof);
  LateEngine engine(GetParam());
  for (const bool least : {false, true}) {
    SCOPED_TRACE(least);
    std::optional<uint64_t> limit;
    if (least) limit = least_footprint(engine.strategy, *engine.device, key->shape, services.cpu().threads());
    Prover prover(services, engine.strategy, 0, key, limit);
    EXPECT_EQ(proof_json(prover.prove(witness, options).proof), expected);
    expect_nothing_runs(engine);
  }
}

TEST_P(Late, AfterEveryCallThatFailsNothingRuns) {
  const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  LateEngine engine(GetParam());
  Prover prover(services, engine.strategy, 0, key);
  engine.fake.faults->restart();
  ASSERT_TRUE(prover.prove(witness).verified);
  const uint64_t calls = engine.fake.faults->calls();
  for (uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE(k);
    engine.fake.faults->restart();
    engine.fake.faults->fail_at(k);
    try {
      prover.prove(witness);
      ADD_FAILURE() << "the failure was swallowed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
    }
    expect_nothing_runs(engine);
    EXPECT_TRUE(prover.prove(witness).verified);
  }
}

TEST_P(Late, CancelledAnywhereNothingRuns) {
  const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  LateEngine engine(GetParam());
  Prover prover(services, engine.strategy, 0, key);
  engine.fake.faults->restart();
  ASSERT_TRUE(prover.prove(witness).verified);
  const uint64_t calls = engine.fake.faults->calls();
  uint64_t cancelled = 0;
  for (uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE(k);
    ProofJob job;
    ProveOptions options;
    options.job = &job;
    engine.fake.faults->restart();
    engine.fake.faults->run_at(k, [&] { job.cancel(); });
    try {
      prover.prove(witness, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
      ++cancelled;
    }
    engine.fake.faults->run_at(0, {});
    expect_nothing_runs(engine);
    EXPECT_TRUE(prover.prove(witness).verified);
  }
  EXPECT_GT(cancelled, calls / 2);
}

/// Vectors of one partition are given back and written again by the next as soon as they may be; some fail meanwhile.
TEST_P(Late, SideBySide) {
  FakeOptions options = GetParam();
  options.workers = 3;
  for (const bool exclusive : {true, false}) {
    options.exclusive = exclusive;
    LateEngine engine(options, 100);
    Prover prover(services, engine.strategy, 0, key);
    engine.fake.faults->restart();
    engine.fake.faults->fail_at(40);
    std::atomic<int> good{0}, failed{0};
    std::vector<std::thread> threads;
    for (uint32_t lane = 0; lane < 5; ++lane) {
      threads.emplace_back([&, lane] {
        for (uint64_t i = 0; i < 4; ++i) {
          const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 10 * lane + i);
          try {
            good += prover.prove(witness, {}, lane).verified ? 1 : 0;
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
            ++failed;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 19);
    EXPECT_EQ(failed, 1);
    expect_nothing_runs(engine);
  }
}

INSTANTIATE_TEST_SUITE_P(Groth16, Late,
                         ::testing::Values(named({}, "streamed"), named({.resident = true}, "resident"),
                                           named({.select = false, .feed = false, .many = false}, "bare"),
                                           named({.feed = false, .unmanaged = 1000}, "bare_unmanaged"),
                                           named({.ntt_on_host = true}, "host_ntt"),
                                           named({.msm_on_host = true}, "host_msm")),
                         [](const auto& test) { return test.param.label; });

/// The stage lets go of its lease before its copies are over: the first to wait for one comes after it.
TEST(LateStage, EndsBeforeItsCopies) {
  HostServices services(2);
  const auto key = synthetic_key({});
  std::atomic<uint64_t> waited{0};
  LateEngine engine({});
  Prover prover(services, engine.strategy, 0, key);
  const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  services.timeline().take();
  engine.device->hold([&] { waited = services.now_ns(); });
  const ProofResult result = prover.prove(witness);
  EXPECT_TRUE(result.verified);
  uint64_t left = 0, bytes = 0;
  for (const Event& event : services.timeline().take()) {
    if (event.name == "in stage") left = event.end_ns;
    if (event.name == "stage") bytes = event.bytes;
  }
  ASSERT_GT(left, 0u);
  EXPECT_GE(waited, left) << "waited for its copies, or nobody did";
  EXPECT_EQ(bytes, (2 * key->shape.domain_size() + key->shape.variables) * kFrBytes);
  EXPECT_EQ(engine.device->wrong(), std::vector<std::string>());
}

/// A chunk's results are put together while the next one runs, where what jobs allocate themselves allows it.
TEST(LateChunks, ResultsAreFinishedBesideTheNext) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/poseidon2");
  for (const uint64_t unmanaged : {uint64_t{0}, uint64_t{1000}}) {
    SCOPED_TRACE(unmanaged);
    LateEngine engine({.feed = false, .unmanaged = unmanaged});
    const KeyShape& shape = circuit.key->shape;
    uint64_t limit = least_footprint(engine.strategy, *engine.device, shape, 2);
    const auto allocates = [&] {
      return unmanaged != 0 &&
             plan_layout(engine.strategy, *engine.device, shape, 2, limit, "key").unmanaged >= unmanaged;
    };
    while (allocates() != (unmanaged != 0)) limit += 256;
    Prover prover(services, engine.strategy, 0, circuit.key, limit);
    EXPECT_TRUE(prover.prove(circuit.witness).verified);
    EXPECT_EQ(engine.fake.own->most() != 0, unmanaged != 0);
    EXPECT_LE(engine.fake.own->most(), prover.layout().unmanaged);
    const auto at = [&](const char* call) { return std::find(engine.calls->begin(), engine.calls->end(), call); };
    ASSERT_NE(at("start 2"), engine.calls->end()) << "h takes more than two chunks";
    if (unmanaged == 0) {
      EXPECT_LT(at("end 1"), at("finish 0"));
      EXPECT_LT(at("drop 0"), at("start 2"));
    } else {
      EXPECT_LT(at("drop 0"), at("start 1"));
    }
    EXPECT_EQ(engine.device->wrong(), std::vector<std::string>());
  }
}

/// What moves from where, whatever can be locked.
class LatePaths : public ::testing::Test {
 protected:
  ProofResult prove_once(LateEngine& late, std::optional<uint64_t> host_memory = {}) {
    std::optional<Engine> engine(std::in_place, services, late.strategy, std::nullopt, host_memory);
    const ProofResult result =
        engine->prove(key, WitnessSource([&] { return synthetic_witness(services.memory(), Curve::bn254, 3); }));
    EXPECT_TRUE(result.verified);
    plan = engine->devices()[0].host;
    engine.reset();
    EXPECT_EQ(late.device->locked(), 0u);
    EXPECT_EQ(services.memory().in_use(), 0u);
    for (const std::string& what : late.device->wrong()) ADD_FAILURE() << what;
    return result;
  }

  std::vector<std::string> warnings;
  HostServices services{2, [this](LogLevel level, std::string_view, std::string_view text) {
                          if (level == LogLevel::warn) warnings.emplace_back(text);
                        }};
  std::shared_ptr<const ProvingKey> key = synthetic_key({});
  std::optional<HostPlan> plan;
};

TEST_F(LatePaths, VectorsAreLockedAndForeignMemoryCrossesByTheRing) {
  LateEngine late({});
  ProofResult result = prove_once(late);
  EXPECT_EQ(result.vector_paths, kPinned);
  EXPECT_EQ(result.base_paths, kRing) << "as the key has them";
  key = synthetic_key({Curve::bn254, CUZK_H_MONOMIAL, true, true});
  result = prove_once(late);
  EXPECT_EQ(result.vector_paths, kPinned);
  EXPECT_EQ(result.base_paths, kPinned) << "decoded in the pool";
  EXPECT_TRUE(warnings.empty());
}

TEST_F(LatePaths, ACallersWitnessCrossesByTheRing) {
  LateEngine late({});
  Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  {
    Engine engine(services, late.strategy);
    EXPECT_EQ(engine.prove(key, witness).vector_paths, kPinned | kRing) << "taken before";
    const Witness later = synthetic_witness(services.memory(), Curve::bn254, 3);
    EXPECT_EQ(engine.prove(key, later).vector_paths, kPinned);
    witness = synthetic_witness(services.memory(), Curve::bn254, 4);
  }
  EXPECT_EQ(late.device->locked(), 1u) << "the witness that is left";
  witness.values = {};
  EXPECT_EQ(late.device->locked(), 0u);
}

TEST_F(LatePaths, EveryRefusalLeavesAProofAndOneWarning) {
  LateEngine late({});
  key = synthetic_key({Curve::bn254, CUZK_H_MONOMIAL, true, true});
  prove_once(late);
  const uint64_t locks = late.device->pins;
  ASSERT_GT(locks, 4u);
  for (uint64_t k = 1; k <= locks; ++k) {
    SCOPED_TRACE(k);
    services.memory().set_limit(0);  // no idle blocks
    services.memory().set_limit({});
    warnings.clear();
    late.device->pins = 0;
    late.device->fail_pin = k;
    const ProofResult result = prove_once(late);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("cuda:0 cannot page-lock "), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("(native code 712)"), std::string::npos) << warnings[0];
    EXPECT_EQ(late.device->pins, k) << "asked again";
    if (k == 1) {
      EXPECT_EQ(result.vector_paths | result.base_paths, kPageable) << "neither vectors nor ring";
    } else {
      EXPECT_TRUE((result.vector_paths | result.base_paths) & (kRing | kPageable));
    }
  }
}

TEST_F(LatePaths, ADeviceThatCannotLockSaysNothing) {
  LateEngine late({});
  late.device->able = false;
  const ProofResult result = prove_once(late);
  EXPECT_EQ(result.vector_paths, kPageable);
  EXPECT_EQ(result.base_paths, kPageable);
  EXPECT_EQ(late.device->pins, 0u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(LatePaths, LockedMemoryIsWithinTheLimit) {
  LateEngine late({.workers = 2});
  prove_once(late);
  const HostPlan ample = *plan;
  const uint64_t least = ample.workers * ample.worker() + ample.partition;
  services.memory().set_limit(0);
  const ProofResult result = prove_once(late, least);
  EXPECT_EQ(plan->in_flight, 1u);
  EXPECT_EQ(result.vector_paths, kPinned);
  EXPECT_LE(services.memory().held(), least);
  Engine engine(services, late.strategy, {}, least - 1);
  EXPECT_THROW(engine.prove(key, WitnessSource([&] { return synthetic_witness(services.memory(), Curve::bn254, 3); })),
               Error);
}

}  // namespace
}  // namespace cuzk::testing
