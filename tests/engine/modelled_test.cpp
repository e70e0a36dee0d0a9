// Proofs on cards that cpu:N plays, in real and in simulated time.
#include "plugins.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/runtime/job_queue.hpp>
#include <cuzk/runtime/summary.hpp>

namespace cuzk::testing {
namespace {

constexpr const char* kLocks[] = {"none", "single-lock", "two-lock"};

/// A card so slow that its times say what it did: a byte a microsecond, an element a millisecond.
DeviceModel slow_card() {
  DeviceModel card;
  card.name = "a slow card";
  card.memory = uint64_t{1} << 30;
  card.pageable_up = card.pageable_down = card.pinned = 1'000'000;
  card.butterflies = card.products = 1'000;
  card.bn254 = card.bls12_381 = {1'000, 500};
  return card;
}

TEST(Modelled, HoursPassInMilliseconds) {
  const auto clock = std::make_shared<SimulatedClock>();
  Plugins plugins(2, clock);
  const Partitions partitions(plugins.services, "porep:10,curve=bls12-381,partitions=1");
  const DeviceModel card = slow_card();
  Prover prover(plugins.services, plugins.strategy(*partitions.key, "single-lock", 1, {}, card), 0, partitions.key);
  EXPECT_NE(prover.layout().key, 0u) << "the card keeps the key";
  EXPECT_EQ(prover.layout().chunks, 2u);
  plugins.services.timeline().take();
  const uint64_t begin_ns = clock->now_ns();
  const auto real_begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(prover.prove(partitions.witnesses[0]).verified);
  EXPECT_LT(std::chrono::steady_clock::now() - real_begin, std::chrono::seconds(20));

  const KeyShape& shape = partitions.key->shape;
  uint64_t kernels = 7 * card.transform_ns(10) + 3 * card.product_ns(1024), uploaded = 0;
  for (size_t i = 0; i < kQueries; ++i) {
    kernels += card.msm_ns(shape.curve, group_of(static_cast<QueryId>(i)), shape.queries[i].count);
  }
  const auto events = plugins.services.timeline().take();
  for (const Event& event : events) {
    if (event.kind != CUZK_SPAN_H2D) continue;
    EXPECT_EQ(event.end_ns - event.begin_ns, card.copy_ns(event.bytes, DeviceModel::Way::up, false));
    uploaded += event.bytes;
  }
  EXPECT_EQ(uploaded, (2 * 1024 + shape.variables) * kFrBytes) << "a, b and the witness; the key stays";
  const uint64_t awaited = 2 * 1024 * kFrBytes;  // the witness crosses under the quotient
  EXPECT_EQ(clock->now_ns() - begin_ns, kernels + card.copy_ns(awaited, DeviceModel::Way::up, false));
  EXPECT_GT(clock->now_ns() - begin_ns, 10'000'000'000u);
  const auto summary = summarise(events);
  ASSERT_EQ(summary.size(), 1u);
  EXPECT_FALSE(summary[0].from_steps);
  EXPECT_EQ(summary[0].kernel_ns, kernels);
  EXPECT_EQ(summary[0].kernel_ns, summary[0].window_ns);
}

/// Too small for the key, the card gets it in chunks, the next under the kernels of the one before.
TEST(Modelled, StreamedBasesCrossUnderKernels) {
  const auto clock = std::make_shared<SimulatedClock>();
  Plugins plugins(2, clock);
  const Partitions partitions(plugins.services, "porep:10,curve=bls12-381,partitions=1");
  const Strategy strategy = plugins.strategy(*partitions.key, "two-lock", 1, {}, slow_card());
  const uint64_t least = least_footprint(strategy, *strategy.devices[0], partitions.key->shape, 2);
  Prover prover(plugins.services, strategy, 0, partitions.key, least);
  EXPECT_EQ(prover.layout().key, 0u);
  plugins.services.timeline().take();
  EXPECT_TRUE(prover.prove(partitions.witnesses[0]).verified);
  EXPECT_LE(prover.memory().high_water, least);
  const auto summary = summarise(plugins.services.timeline().take());
  EXPECT_GT(summary.at(0).overlapped_ns, 0u);
  EXPECT_GT(summary.at(0).uploaded_bytes, 1000 * 96 * 3u);
}

struct Played {
  std::vector<std::string> proofs;
  DeviceSummary summary;
};
Played played(const char* lock, uint32_t workers, const DeviceModel& card, const std::string& spec) {
  Plugins plugins(2);
  const Partitions partitions(plugins.services, spec);
  Engine engine(plugins.services, plugins.strategy(*partitions.key, lock, workers, {}, card));
  Played out;
  out.proofs.resize(partitions.witnesses.size());
  {
    JobQueue queue(workers);
    std::vector<std::future<void>> done;
    for (size_t i = 0; i < partitions.witnesses.size(); ++i) {
      done.push_back(queue.submit([&, i](uint64_t) {
        ProveOptions options;
        options.insecure_seed = i;
        const ProofResult result = engine.prove(partitions.key, partitions.witnesses[i], options);
        if (result.verified) out.proofs[i] = proof_json(result.proof);
      }));
    }
    for (std::future<void>& one : done) one.get();
  }
  out.summary = summarise(plugins.services.timeline().take()).at(0);
  return out;
}

/// In real time: on a card slower than this machine, two locks upload under kernels, one no more than the witness under
/// its own quotient.
TEST(Modelled, TwoLocksUploadUnderKernelsInRealTime) {
  DeviceModel card = slow_card();
  card.pageable_up = 4'000'000;  // a slot of 24 KiB in some 6 ms
  card.butterflies = 1'000'000;  // a quotient of 2^8 in some 10 ms
  card.products = 1'000'000;
  card.bls12_381 = {50'000, 20'000};  // MSMs in some 30 ms
  const std::string spec = "porep:8,curve=bls12-381,partitions=8";
  const Played one = played("single-lock", 2, card, spec), two = played("two-lock", 2, card, spec);
  EXPECT_EQ(one.proofs, two.proofs);
  EXPECT_NE(one.proofs.front(), "");
  EXPECT_EQ(one.summary.partitions, 8u);
  EXPECT_LE(one.summary.overlapped_ns, 8 * card.copy_ns(uint64_t{256} * kFrBytes, DeviceModel::Way::up, false));
  EXPECT_GT(two.summary.overlapped_ns, one.summary.overlapped_ns + 10'000'000u);
  EXPECT_GT(two.summary.lock_held(), 0.9);
}

TEST(Modelled, ProofsAreWhatTheyAreWithoutAModel) {
  Plugins plugins(2, std::make_shared<SimulatedClock>());
  for (const char* name : {"bn128/poseidon2", "bls12381/multipublic"}) {
    const Circuit circuit(plugins.services, name);
    ProveOptions options;
    options.insecure_seed = 5;
    std::string plain;
    {
      Prover prover(plugins.services, plugins.strategy(*circuit.key, "none"), 0, circuit.key);
      plain = proof_json(prover.prove(circuit.witness, options).proof);
    }
    for (const char* lock : kLocks) {
      SCOPED_TRACE(std::string(name) + " " + lock);
      const Strategy strategy = plugins.strategy(*circuit.key, lock, 2, {"cpu:3"}, sample_card("card-16gib.json"));
      EXPECT_EQ(strategy.devices[0]->name(), "cpu:3");
      Prover prover(plugins.services, strategy, 0, circuit.key);
      EXPECT_EQ(proof_json(prover.prove(circuit.witness, options, 1).proof), plain);
    }
  }
}

/// Nobody waits for hours because a card would.
TEST(Modelled, CancelledWhileTheCardWorks) {
  DeviceModel card = slow_card();
  card.butterflies = 1;  // 2^12 elements: seven transforms of 24,576 seconds
  Plugins plugins(2);
  const Partitions partitions(plugins.services, "porep:12,curve=bn254,partitions=1");
  card.pageable_up = uint64_t{1} << 40;
  Prover prover(plugins.services, plugins.strategy(*partitions.key, "single-lock", 1, {}, card), 0, partitions.key);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    plugins.services.cancel_all();
  });
  ErrorCode code = ErrorCode::internal;
  try {
    prover.prove(partitions.witnesses[0]);
  } catch (const Error& error) {
    code = error.code();
  }
  canceller.join();
  EXPECT_EQ(code, ErrorCode::cancelled);
}

TEST(Modelled, LateWhileTheCardWorks) {
  DeviceModel card = slow_card();
  card.butterflies = 1;
  card.pageable_up = uint64_t{1} << 40;
  Plugins plugins(2);
  const Partitions partitions(plugins.services, "porep:12,curve=bn254,partitions=1");
  Engine engine(plugins.services, plugins.strategy(*partitions.key, "single-lock", 1, {}, card));
  const ProofJob job(plugins.services.now_ns() + 300'000'000);
  ProveOptions options;
  options.job = &job;
  try {
    engine.prove(partitions.key, partitions.witnesses[0], options);
    FAIL() << "hours passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::deadline) << error.what();
  }
}

TEST(Modelled, TheCardsMemoryIsTheLimit) {
  Plugins plugins(2, std::make_shared<SimulatedClock>());
  const Partitions partitions(plugins.services, "porep:10,curve=bls12-381,partitions=1");
  DeviceModel card = slow_card();
  card.memory = (uint64_t{512} << 20) + 100'000;  // 512 MiB stay free
  try {
    Prover prover(plugins.services, plugins.strategy(*partitions.key, "none", 1, {}, card), 0, partitions.key);
    FAIL() << "it fitted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("(100000 bytes) available"), std::string::npos) << error.what();
  }
}

/// The broken design fails with a typed error where memory is short, and the process goes on.
TEST(Modelled, TheNaivePolicyRunsOutOfMemoryAndTheNextProofSucceeds) {
  Plugins plugins(2);
  const Partitions partitions(plugins.services, "porep:10,curve=bls12-381,partitions=12");
  const Strategy strategy = plugins.strategy(*partitions.key, "two-lock-naive", 3);
  EXPECT_TRUE(strategy.lock->books_late());
  const uint64_t least = least_footprint(strategy, *strategy.devices[0], partitions.key->shape, 2);
  Engine engine(plugins.services, strategy, least);
  std::atomic<uint32_t> good{0}, out_of_memory{0}, other{0};
  {
    JobQueue queue(3);
    std::vector<std::future<void>> done;
    for (const Witness& witness : partitions.witnesses) {
      done.push_back(queue.submit([&](uint64_t) {
        try {
          good += engine.prove(partitions.key, witness).verified ? 1 : 0;
        } catch (const Error& error) {
          const bool named = std::string(error.what()).find("two-lock-naive") != std::string::npos;
          ++(error.code() == ErrorCode::out_of_memory && named ? out_of_memory : other);
        }
      }));
    }
    for (std::future<void>& one : done) one.get();
  }
  EXPECT_GT(good, 0u);
  EXPECT_GT(out_of_memory, 0u);
  EXPECT_EQ(other, 0u);
  EXPECT_EQ(good + out_of_memory, partitions.witnesses.size());
  EXPECT_TRUE(engine.prove(partitions.key, partitions.witnesses[0]).verified);

  const Strategy ample = plugins.strategy(*partitions.key, "two-lock-naive", 3, {"cpu:1"});
  Engine roomy(plugins.services, ample);
  EXPECT_TRUE(roomy.prove(partitions.key, partitions.witnesses[0]).verified);
}

/// More memory never makes less of it: once a key stays, it stays.
TEST(Modelled, WithMoreMemoryAKeyIsNotStreamedAgain) {
  Plugins plugins(2, std::make_shared<SimulatedClock>());
  const Partitions partitions(plugins.services, "porep:8,partitions=1");
  for (const char* lock : {"single-lock", "none"}) {
    const Strategy strategy = plugins.strategy(*partitions.key, lock, 3, {}, sample_card("card-16gib.json"));
    const auto resident = [&](uint64_t capacity) {
      return plan_layout(strategy, *strategy.devices[0], partitions.key->shape, 2, capacity, "key").key != 0;
    };
    uint64_t capacity = least_footprint(strategy, *strategy.devices[0], partitions.key->shape, 2);
    while (!resident(capacity)) capacity += capacity / 256;
    for (int i = 0; i < 256; ++i, capacity += capacity / 256)
      EXPECT_TRUE(resident(capacity)) << lock << ": " << capacity;
  }
}

}  // namespace
}  // namespace cuzk::testing
