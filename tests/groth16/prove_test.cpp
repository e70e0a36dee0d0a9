#include "fakes.hpp"
#include "synthetic_key.hpp"
#include "vectors.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::testing {
namespace {

std::vector<FakeOptions> compositions() {
  const FakeOptions base;
  const auto with = [&](const char* label, auto&& change) {
    FakeOptions options = base;
    change(options);
    options.label = label;
    return options;
  };
  const auto copying = [](FakeOptions& o) { o.adopt = false; };
  const auto remote = [](FakeOptions& o) {
    o.adopt = false;
    o.device_kind = CUZK_SPACE_CUDA;
  };
  return {
      with("adopting", [](FakeOptions&) {}),
      with("copying", copying),
      with("remote", remote),
      with("no_select", [](FakeOptions& o) { o.select = false; }),
      with("no_feed", [](FakeOptions& o) { o.feed = false; }),
      with("no_many", [](FakeOptions& o) { o.many = false; }),
      with("remote_bare", [&](FakeOptions& o) { remote(o), o.select = o.feed = o.many = false; }),
      with("remote_no_select", [&](FakeOptions& o) { remote(o), o.select = false; }),
      with("remote_no_feed", [&](FakeOptions& o) { remote(o), o.feed = false; }),
      with("remote_resident", [&](FakeOptions& o) { remote(o), o.resident = true; }),
      with("resident_adopting", [](FakeOptions& o) { o.resident = true; }),
      with("resident_no_feed", [](FakeOptions& o) { o.resident = true, o.feed = false; }),
      with("remote_host_msm", [&](FakeOptions& o) { remote(o), o.msm_on_host = true; }),
      with("adopting_host_msm", [](FakeOptions& o) { o.msm_on_host = true; }),
      with("host_msm_bare", [](FakeOptions& o) { o.msm_on_host = true, o.select = o.feed = o.many = false; }),
      with("remote_host_ntt", [&](FakeOptions& o) { remote(o), o.ntt_on_host = true; }),
      with("adopting_host_ntt", [](FakeOptions& o) { o.ntt_on_host = true; }),
      with("all_on_host", [&](FakeOptions& o) { remote(o), o.ntt_on_host = o.msm_on_host = true; }),
  };
}

std::string label(const ::testing::TestParamInfo<FakeOptions>& info) { return info.param.label; }

class Compositions : public ::testing::TestWithParam<FakeOptions> {
 protected:
  void expect_proof(std::shared_ptr<const ProvingKey> key, const Witness& witness, std::optional<uint64_t> limit = {}) {
    FakeEngine engine(GetParam());
    {
      Prover prover(services_, engine.strategy, 0, key, limit);
      const ProofResult result = prover.prove(witness);
      EXPECT_TRUE(result.verified);
      EXPECT_TRUE(verify(key->verifying_key, result.signals, result.proof));
      EXPECT_EQ(prover.memory().held, prover.layout().total());
      EXPECT_EQ(prover.memory().high_water, prover.layout().total());
    }
    EXPECT_EQ(engine.device->used(), 0);
    EXPECT_EQ(engine.device->fences(), 0);
    EXPECT_EQ(engine.device->overruns(), 0);
  }

  HostServices services_{2};
};

// Decoded points, masks, h over powers of tau, another root of unity.
TEST_P(Compositions, ProveWithBellmanKeys) {
  for (const std::string name : {"tiny", "mixed"}) {
    SCOPED_TRACE(name);
    const std::string folder = std::string(CUZK_TEST_VECTORS) + "/params/" + name;
    const auto key = open_params(folder + "/key.params", folder + "/circuit.pce", services_.cpu());
    expect_proof(key, read_wtns(folder + "/witness.wtns", services_.cpu(), services_.memory(), key.get()));
  }
}

TEST_P(Compositions, ProveRealCircuits) {
  for (const char* name : {"bn128/multiplier", "bn128/nopublic", "bls12381/multiplier", "bls12381/nopublic"}) {
    SCOPED_TRACE(name);
    const Circuit circuit(services_, name);
    expect_proof(circuit.key, circuit.witness);
  }
}

TEST_P(Compositions, ProveWithBothBasesMasksAndEncodedPoints) {
  for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
    for (const uint32_t basis : {CUZK_H_COSET_LAGRANGE, CUZK_H_MONOMIAL}) {
      for (const bool masked : {false, true}) {
        for (const bool encoded : {false, true}) {
          SCOPED_TRACE(std::string(name(curve)) + " basis " + std::to_string(basis) + (masked ? " masked" : "") +
                       (encoded ? " encoded" : ""));
          expect_proof(synthetic_key({curve, basis, masked, encoded}), synthetic_witness(services_.memory(), curve, 3));
        }
      }
    }
  }
}

/// From the least that proves, where all savings are taken, to ample.
TEST_P(Compositions, ProveWithAnyMemoryThatIsEnough) {
  const Circuit circuit(services_, "bn128/poseidon2");
  FakeEngine engine(GetParam());
  const KeyShape& shape = circuit.key->shape;
  const uint64_t most = plan_layout(engine.strategy, *engine.device, shape, 2, UINT64_MAX / 4, "key").total();
  uint64_t least = 0;
  for (uint64_t low = 0, high = most; low < high;) {  // the first that fits
    least = (low + high) / 2;
    try {
      plan_layout(engine.strategy, *engine.device, shape, 2, least, "key");
      high = least;
    } catch (const Error&) {
      low = least + 1;
    }
    least = low;
  }
  if (least != 0) {
    EXPECT_THROW(Prover(services_, engine.strategy, 0, circuit.key, least - 1), Error) << least;
  }
  for (const uint64_t limit : {least, least + (most - least) / 2, most}) {
    SCOPED_TRACE(limit);
    const Layout layout = plan_layout(engine.strategy, *engine.device, shape, 2, limit, "key");
    EXPECT_LE(layout.total(), limit);
    EXPECT_EQ(layout.savings.empty(), limit == most);
    expect_proof(circuit.key, circuit.witness, limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Groth16, Compositions, ::testing::ValuesIn(compositions()), label);

TEST(Prove, SignalsAreThoseOfTheWitness) {
  HostServices services(2);
  for (const char* name : {"bn128/poseidon2", "bls12381/poseidon2", "bn128/multipublic", "bls12381/nopublic"}) {
    SCOPED_TRACE(name);
    const Circuit circuit(services, name);
    FakeEngine engine({});
    Prover prover(services, engine.strategy, 0, circuit.key);
    const ProofResult result = prover.prove(circuit.witness);
    EXPECT_TRUE(same_signals(result.signals, circuit.signals));
    EXPECT_TRUE(verify(circuit.verifying_key, result.signals, result.proof));
    EXPECT_EQ(result.uploaded_bytes, 0);  // adopted
    EXPECT_EQ(result.vector_paths, 1U << CUZK_PATH_DIRECT);
    EXPECT_EQ(result.base_paths, 1U << CUZK_PATH_DIRECT);
  }
}

TEST(Prove, UploadedBytesAreVectorsAndStreamedPoints) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/poseidon2");
  FakeOptions options;
  options.adopt = false;
  FakeEngine engine(options);
  Prover prover(services, engine.strategy, 0, circuit.key);
  const ProofResult result = prover.prove(circuit.witness);
  // a, b, the witness; h, l, a, b1, b2 of a circuit with 243 variables and one public signal
  EXPECT_EQ(result.uploaded_bytes, (256 + 256 + 243) * 32 + (256 + 241 + 243 + 243) * 64 + 243 * 128);
  EXPECT_EQ(result.vector_paths, 1U << CUZK_PATH_PAGEABLE);
  EXPECT_EQ(result.base_paths, 1U << CUZK_PATH_PAGEABLE);
}

TEST(Prove, ResidentBasesAreNotUploadedByAProof) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  FakeOptions options;
  options.adopt = false;
  options.resident = true;
  FakeEngine engine(options);
  Prover prover(services, engine.strategy, 0, circuit.key);
  const ProofResult result = prover.prove(circuit.witness);
  EXPECT_EQ(result.vector_paths, 1U << CUZK_PATH_PAGEABLE);
  EXPECT_EQ(result.base_paths, 0);
}

TEST(Prove, OneProverADeviceAtATime) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  FakeEngine engine({}), other({.device_kind = CUZK_SPACE_CUDA, .adopt = false});
  {
    Prover prover(services, engine.strategy, 0, circuit.key);
    try {
      Prover second(services, engine.strategy, 0, circuit.key);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unusable);
      EXPECT_STREQ(error.what(), "cpu:0 is already in use by another prover of this process");
    }
    EXPECT_TRUE(prover.prove(circuit.witness).verified);
    EXPECT_TRUE(Prover(services, other.strategy, 0, circuit.key).prove(circuit.witness).verified);
  }
  EXPECT_TRUE(Prover(services, engine.strategy, 0, circuit.key).prove(circuit.witness).verified);
}

/// More partitions than workers at once; the jobs of a partition are alive until they are finished.
TEST(Prove, JobsAllocateNoMoreThanIsBooked) {
  for (const bool feed : {true, false}) {
    HostServices services(3);
    FakeOptions options;
    options.workers = 3;
    options.feed = feed;
    options.unmanaged = 1000;
    FakeEngine engine(options);
    const auto key = synthetic_key({});
    Prover prover(services, engine.strategy, 0, key);
    std::vector<std::thread> threads;
    for (uint32_t lane = 0; lane < 6; ++lane) {
      threads.emplace_back([&, lane] {
        for (uint64_t i = 0; i < 4; ++i) {
          prover.prove(synthetic_witness(services.memory(), Curve::bn254, i), {}, lane);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(engine.own->most(), 3 * prover.layout().unmanaged);
    EXPECT_GE(engine.own->most(), feed ? 5000 : 1000);
    EXPECT_EQ(prover.layout().unmanaged, feed ? 1024 + 4096 : 1024);
    EXPECT_EQ(prover.memory().held, prover.layout().total());
  }
}

TEST(Prove, ACancelledProofSaysWhereAndLeavesNothing) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  FakeEngine engine({});
  Prover prover(services, engine.strategy, 0, circuit.key);
  services.cancel_all();
  try {
    prover.prove(circuit.witness);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
    EXPECT_STREQ(error.what(), "cpu:0: ticket 1 was cancelled after a and b were evaluated");
  }
  EXPECT_EQ(prover.memory().held, prover.layout().total());
}

TEST(Prove, FixedSeedGivesTheSameProofOtherwiseNone) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  FakeEngine engine({});
  Prover prover(services, engine.strategy, 0, circuit.key);
  const auto json = [&](std::optional<uint64_t> seed) {
    ProveOptions options;
    options.insecure_seed = seed;
    return proof_json(prover.prove(circuit.witness, options).proof);
  };
  EXPECT_EQ(json(1), json(1));
  EXPECT_NE(json(1), json(2));
  EXPECT_NE(json({}), json({}));
}

TEST(Prove, EveryCompositionGivesTheSameBytes) {
  HostServices services(2);
  const auto key = synthetic_key({Curve::bls12_381, CUZK_H_MONOMIAL, true, true});
  const Witness witness = synthetic_witness(services.memory(), Curve::bls12_381, 11);
  ProveOptions options;
  options.insecure_seed = 5;
  std::string first;
  for (const FakeOptions& composition : compositions()) {
    SCOPED_TRACE(composition.label);
    FakeEngine engine(composition);
    Prover prover(services, engine.strategy, 0, key);
    const std::string json = proof_json(prover.prove(witness, options).proof);
    if (first.empty()) first = json;
    EXPECT_EQ(json, first);
  }
}

TEST(Prove, RefusesWhatDoesNotFit) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  const Circuit other(services, "bn128/nopublic");
  const Circuit other_curve(services, "bls12381/multiplier");
  const Circuit poseidon(services, "bn128/poseidon2");
  FakeEngine engine({});
  Prover prover(services, engine.strategy, 0, circuit.key);
  for (const Circuit* wrong : {&other, &other_curve, &poseidon}) {
    try {
      prover.prove(wrong->witness);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(std::string(error.what()).find(circuit.key->name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(wrong->witness.name), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(prover.prove(circuit.witness).verified);
}

TEST(Prove, AViolatingWitnessGivesNoProof) {
  HostServices services(2);
  Circuit circuit(services, "bn128/poseidon2");
  FakeEngine engine({});
  Prover prover(services, engine.strategy, 0, circuit.key);
  circuit.witness.values.data()[100].limb[0] ^= 1;
  try {
    prover.prove(circuit.witness);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unverified);
  }
  ProveOptions unchecked;
  unchecked.verify = false;
  EXPECT_FALSE(prover.prove(circuit.witness, unchecked).verified);
  circuit.witness.values.data()[100].limb[0] ^= 1;
  EXPECT_TRUE(prover.prove(circuit.witness).verified);
}

/// Also where the quotient is made on the host, outside the leases.
TEST(Prove, EveryEventOfAPartitionHasItsTicket) {
  for (const FakeOptions& composition : compositions()) {
    SCOPED_TRACE(composition.label);
    HostServices services(2);
    const Circuit circuit(services, "bn128/multiplier");
    FakeEngine engine(composition);
    Prover prover(services, engine.strategy, 0, circuit.key);
    services.timeline().take();
    for (int i = 0; i < 2; ++i) {
      const ProofResult result = prover.prove(circuit.witness);
      const std::vector<Event> events = services.timeline().take();
      EXPECT_GT(events.size(), 4);
      for (const Event& event : events) EXPECT_EQ(event.ticket, result.ticket) << event.name;
    }
  }
}

TEST(Prove, TimelineHasEveryStep) {
  HostServices services(2);
  const Circuit circuit(services, "bn128/multiplier");
  FakeEngine engine({});
  Prover prover(services, engine.strategy, 0, circuit.key);
  prover.prove(circuit.witness);
  std::vector<std::string> names;
  for (const Event& event : services.timeline().events()) {
    names.push_back(event.name);
    EXPECT_LE(event.begin_ns, event.end_ns) << event.name;
  }
  for (const char* name : {"evaluate", "wait stage", "stage", "wait compute", "quotient", "msm h", "msm witness",
                           "finish", "assemble", "verify"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

TEST(Prove, MorePartitionsThanWorkersAtOnce) {
  for (const bool exclusive : {true, false}) {
    for (const bool adopt : {true, false}) {
      HostServices services(3);
      FakeOptions options;
      options.workers = 4;
      options.exclusive = exclusive;
      options.adopt = adopt;
      FakeEngine engine(options);
      const auto key = synthetic_key({});
      Prover prover(services, engine.strategy, 0, key);
      EXPECT_EQ(prover.layout().workspaces, exclusive ? 1 : 4);
      EXPECT_EQ(prover.layout().slots, 4);
      std::atomic<int> good{0};
      std::vector<std::thread> threads;
      for (uint32_t lane = 0; lane < 7; ++lane) {
        threads.emplace_back([&, lane] {
          for (uint64_t i = 0; i < 5; ++i) {
            const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 10 * lane + i);
            const ProofResult result = prover.prove(witness, {}, lane);
            if (result.verified && result.signals[0] == witness.values.data()[1]) ++good;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(good, 35);
      EXPECT_EQ(prover.memory().held, prover.layout().total());
    }
  }
}

TEST(Prove, AComponentThatCannotDoTheKeyIsRefused) {
  HostServices services(1);
  const auto key = synthetic_key({});
  FakeEngine engine({});
  EXPECT_THROW(Prover(services, engine.strategy, 1, key), Error);
  engine.strategy.workers = 0;
  EXPECT_THROW(Prover(services, engine.strategy, 0, key), Error);
}

}  // namespace
}  // namespace cuzk::testing
