// The plugins of this build through loader, composition and prover, as a program uses them.
#include "plugins.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/verifier.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kSeed = 7;
constexpr const char* kLocks[] = {"none", "single-lock", "two-lock"};

ProveOptions seeded() {
  ProveOptions options;
  options.insecure_seed = kSeed;
  return options;
}

TEST(RealPlugins, FindsThePluginsOfThisBuild) {
  Plugins plugins(1);
  EXPECT_NE(plugins.registry.find("cpu-reference"), nullptr);
  EXPECT_NE(plugins.registry.find("interlocks"), nullptr);
  const Circuit circuit(plugins.services, "bn128/multiplier");
  const Strategy strategy = plugins.strategy(*circuit.key, "none");
  EXPECT_EQ(strategy.lock->info().full_name(), "interlocks/none");
  EXPECT_EQ(strategy.msm->info().plugin, "cpu-reference");
}

TEST(RealPlugins, EveryCircuitUnderEveryLockGivesTheSignalsOfItsWitness) {
  Plugins plugins(2);
  for (const std::string curve : {"bn128/", "bls12381/"}) {
    for (const char* name : {"multiplier", "nopublic", "poseidon2", "multipublic", "multipublic_O0"}) {
      SCOPED_TRACE(curve + name);
      const Circuit circuit(plugins.services, curve + name);
      for (const char* lock : kLocks) {
        Prover prover(plugins.services, plugins.strategy(*circuit.key, lock), 0, circuit.key);
        const ProofResult result = prover.prove(circuit.witness);
        EXPECT_TRUE(result.verified);
        EXPECT_TRUE(same_signals(result.signals, circuit.signals));
        EXPECT_TRUE(verify(circuit.verifying_key, circuit.signals, result.proof)) << "snarkjs's key and signals";
      }
    }
  }
}

/// Each thread's proofs are of other witnesses than its neighbours'.
TEST(RealPlugins, FourWorkersAtOnceKeepTheirProofsApart) {
  Plugins plugins(3);
  for (const char* name : {"bn128/multiplier", "bls12381/multiplier"}) {
    const Circuit circuit(plugins.services, name);
    for (const char* lock : kLocks) {
      SCOPED_TRACE(std::string(name) + " " + lock);
      Prover prover(plugins.services, plugins.strategy(*circuit.key, lock, 4), 0, circuit.key);
      EXPECT_EQ(prover.layout().workspaces, std::string(lock) == "none" ? 4 : 1);
      std::atomic<int> good{0};
      std::vector<std::thread> threads;
      for (uint32_t worker = 0; worker < 4; ++worker) {
        threads.emplace_back([&, worker] {
          for (uint64_t i = 0; i < 5; ++i) {
            const uint64_t a = 1000 + worker, b = 2000 + i;
            const Witness witness = product_of(plugins.services, circuit.key->shape.curve, a, b);
            const ProofResult result = prover.prove(witness, {}, worker);
            const cuzk_fr expected{{a * b, 0, 0, 0}};
            if (result.verified && result.signals.size() == 1 && result.signals[0] == expected) ++good;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(good, 20);
      EXPECT_EQ(prover.memory().held, prover.layout().total());
    }
  }
}

TEST(RealPlugins, FourWorkersAtOnceGiveTheBytesOfOne) {
  Plugins plugins(2);
  for (const char* name : {"bn128/multipublic", "bls12381/poseidon2"}) {
    const Circuit circuit(plugins.services, name);
    for (const char* lock : kLocks) {
      SCOPED_TRACE(std::string(name) + " " + lock);
      Prover prover(plugins.services, plugins.strategy(*circuit.key, lock, 4), 0, circuit.key);
      const std::string alone = proof_json(prover.prove(circuit.witness, seeded()).proof);
      std::atomic<int> same{0};
      std::vector<std::thread> threads;
      for (uint32_t worker = 0; worker < 4; ++worker) {
        threads.emplace_back([&, worker] {
          for (int i = 0; i < 3; ++i) {
            if (proof_json(prover.prove(circuit.witness, seeded(), worker).proof) == alone) ++same;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(same, 12);
    }
  }
}

TEST(RealPlugins, SameBytesForEveryLockAndNumberOfThreads) {
  for (const char* name : {"bn128/poseidon2", "bls12381/multipublic_O0"}) {
    std::string first;
    for (const uint32_t threads : {1U, 2U, 7U}) {
      Plugins plugins(threads);
      const Circuit circuit(plugins.services, name);
      for (const char* lock : kLocks) {
        SCOPED_TRACE(std::string(name) + " " + lock + " threads " + std::to_string(threads));
        Prover prover(plugins.services, plugins.strategy(*circuit.key, lock), 0, circuit.key);
        const std::string json = proof_json(prover.prove(circuit.witness, seeded()).proof);
        if (first.empty()) first = json;
        EXPECT_EQ(json, first);
      }
    }
  }
}

/// From the least that proves to ample: the same proof, within the books.
TEST(RealPlugins, AnyDeviceMemoryThatIsEnough) {
  Plugins plugins(2);
  for (const char* name : {"bn128/poseidon2", "bls12381/multipublic"}) {
    SCOPED_TRACE(name);
    const Circuit circuit(plugins.services, name);
    const Strategy strategy = plugins.strategy(*circuit.key, "none", 2);
    const auto total = [&](uint64_t limit) {
      return plan_layout(strategy, *strategy.devices[0], circuit.key->shape, plugins.services.cpu().threads(), limit,
                         "key")
          .total();
    };
    const uint64_t most = total(UINT64_MAX / 4);
    uint64_t least = 0;
    for (uint64_t high = most; least < high;) {
      const uint64_t middle = (least + high) / 2;
      try {
        EXPECT_LE(total(middle), middle);
        high = middle;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::out_of_memory);
        least = middle + 1;
      }
    }
    ASSERT_LT(least, most);
    std::string first;
    for (const uint64_t limit : {most, least + (most - least) / 2, least + (most - least) / 8, least}) {
      SCOPED_TRACE(limit);
      Prover prover(plugins.services, strategy, 0, circuit.key, limit);
      const std::string json = proof_json(prover.prove(circuit.witness, seeded(), 1).proof);
      if (first.empty()) first = json;
      EXPECT_EQ(json, first);
      EXPECT_LE(prover.memory().high_water, limit);
    }
    try {
      Prover prover(plugins.services, strategy, 0, circuit.key, least - 1);
      FAIL() << "less than the least was enough";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    }
  }
}

TEST(RealPlugins, TwoDevicesProveAtOnceAndEachHasOneProver) {
  Plugins plugins(2);
  const Circuit circuit(plugins.services, "bn128/poseidon2");
  const Strategy strategy = plugins.strategy(*circuit.key, "single-lock", 2, {"cpu:0", "cpu:1"});
  ASSERT_EQ(strategy.devices.size(), 2);
  EXPECT_EQ(strategy.devices[1]->name(), "cpu:1");
  Prover first(plugins.services, strategy, 0, circuit.key), second(plugins.services, strategy, 1, circuit.key);
  EXPECT_THROW(Prover(plugins.services, strategy, 1, circuit.key), Error);
  plugins.services.timeline().take();
  std::vector<std::string> proofs(4);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Prover& prover = i < 2 ? first : second;
      proofs[i] = proof_json(prover.prove(circuit.witness, seeded(), i % 2).proof);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(proofs[0], "");
  EXPECT_EQ(std::count(proofs.begin(), proofs.end(), proofs[0]), 4);
  const auto events = plugins.services.timeline().take();
  for (const char* device : {"cpu:0", "cpu:1"}) {
    EXPECT_EQ(std::count_if(events.begin(), events.end(),
                            [&](const Event& e) { return e.device == device && e.name == "in compute"; }),
              2)
        << device;
  }
}

}  // namespace
}  // namespace cuzk::testing
