// Many proofs in one process: threads, keys, devices.
#include "plugins.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::testing {
namespace {

constexpr uint32_t kThreads = 8, kWitnesses = 25;

/// 8 threads x 25 witnesses of their own, thread t on keys[t mod their number]. Every proof holds for the product of
/// its own factors.
void prove_all(Plugins& plugins, Engine& engine, const std::vector<const Circuit*>& keys) {
  std::atomic<uint32_t> good{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Circuit& circuit = *keys[t % keys.size()];
      for (uint32_t i = 0; i < kWitnesses; ++i) {
        const uint64_t a = 1000 + t, b = 2000 + i;
        const Witness witness = product_of(plugins.services, circuit.key->shape.curve, a, b);
        const ProofResult result = engine.prove(circuit.key, witness);
        const PublicSignals expected{{{a * b, 0, 0, 0}}};
        if (result.verified && same_signals(result.signals, expected) &&
            verify(circuit.verifying_key, expected, result.proof)) {
          ++good;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads * kWitnesses);
}

TEST(ManyProofs, EightThreadsOnOneKey) {
  Plugins plugins(2);
  const Circuit circuit(plugins.services, "bn128/multiplier");
  for (const char* lock : {"single-lock", "two-lock", "none"}) {
    SCOPED_TRACE(lock);
    Engine engine(plugins.services, plugins.strategy(*circuit.key, lock, 4));
    prove_all(plugins, engine, {&circuit});
    ASSERT_EQ(engine.devices().size(), 1);
    const Engine::DeviceUse use = engine.devices()[0];
    EXPECT_EQ(use.proofs, kThreads * kWitnesses);
    EXPECT_EQ(use.keys_opened, 1);
    EXPECT_EQ(use.memory.held, use.layout->total());
  }
}

TEST(ManyProofs, EightThreadsOnTwoKeysOfTwoCurves) {
  Plugins plugins(2);
  const Circuit bn(plugins.services, "bn128/multiplier"), bls(plugins.services, "bls12381/multiplier");
  for (const uint32_t workers : {1U, 3U}) {
    SCOPED_TRACE(workers);
    Engine engine(plugins.services, plugins.strategy(*bn.key, "single-lock", workers));
    prove_all(plugins, engine, {&bn, &bls});
    const Engine::DeviceUse use = engine.devices()[0];
    EXPECT_EQ(use.proofs, kThreads * kWitnesses);
    EXPECT_GE(use.keys_opened, 2);
    EXPECT_LT(use.keys_opened, kThreads * kWitnesses / 2) << "proofs of the open key go before a change of keys";
  }
}

TEST(ManyProofs, EightThreadsOnTwoKeysAndTwoDevices) {
  Plugins plugins(2);
  const Circuit one(plugins.services, "bn128/multiplier"), other(plugins.services, "bn128/multiplier");
  Engine engine(plugins.services, plugins.strategy(*one.key, "single-lock", 2, {"cpu:0", "cpu:1"}));
  prove_all(plugins, engine, {&one, &other});
  ASSERT_EQ(engine.devices().size(), 2);
  EXPECT_EQ(engine.devices()[0].proofs + engine.devices()[1].proofs, kThreads * kWitnesses);
  for (const Engine::DeviceUse& use : engine.devices()) EXPECT_GT(use.proofs, 0) << use.device->name();
}

/// A key that does not fit, or a witness that does not belong, is the trouble of its own proofs alone.
TEST(ManyProofs, WhatFailsFailsAlone) {
  Plugins plugins(2);
  const Circuit small(plugins.services, "bn128/multiplier"), large(plugins.services, "bn128/multipublic");
  const Strategy strategy = plugins.strategy(*small.key, "single-lock");
  const uint64_t enough =
      least_footprint(strategy, *strategy.devices[0], small.key->shape, plugins.services.cpu().threads());
  Engine engine(plugins.services, strategy, enough);
  const auto code_of = [&](const Circuit& circuit, const Witness& witness) {
    try {
      engine.prove(circuit.key, witness);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(code_of(large, large.witness), ErrorCode::out_of_memory);
    EXPECT_TRUE(engine.prove(small.key, small.witness).verified);
    EXPECT_EQ(code_of(small, large.witness), ErrorCode::bad_input);
    Witness wrong = product_of(plugins.services, Curve::bn254, 3, 5);
    wrong.values.data()[1] = {{16, 0, 0, 0}};
    EXPECT_EQ(code_of(small, wrong), ErrorCode::unverified);
    EXPECT_TRUE(engine.prove(small.key, small.witness).verified);
  }
}

/// Three have the seats and wait for their witnesses; three wait for seats.
TEST(ManyProofs, CancelledWhileWaitingForAWorker) {
  Plugins plugins(1);
  const Circuit circuit(plugins.services, "bn128/multipublic");
  Engine engine(plugins.services, plugins.strategy(*circuit.key, "single-lock"));
  const uint32_t seats = engine.most_in_flight();
  std::atomic<uint32_t> seated{0}, cancelled{0}, waiting{0}, other{0};
  std::atomic<bool> gate{false};
  const WitnessSource source = [&] {
    ++seated;
    while (!gate) std::this_thread::yield();
    return read_wtns(vector_path("bn128/multipublic", "witness.wtns"), plugins.services.cpu(),
                     plugins.services.memory());
  };
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 2 * seats; ++t) {
    threads.emplace_back([&] {
      try {
        engine.prove(circuit.key, source);
        ++other;
      } catch (const Error& error) {
        if (std::string(error.what()).find("while it waited for a worker") != std::string::npos) ++waiting;
        ++(error.code() == ErrorCode::cancelled ? cancelled : other);
      }
    });
  }
  while (seated < seats) std::this_thread::yield();
  plugins.services.cancel_all();
  while (cancelled < seats && other == 0) std::this_thread::yield();
  EXPECT_EQ(waiting, seats);
  gate = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, 2 * seats);
}

TEST(ManyProofs, AnEngineNeedsADeviceAndAWorker) {
  Plugins plugins(1);
  const Circuit circuit(plugins.services, "bn128/multiplier");
  Strategy strategy = plugins.strategy(*circuit.key, "single-lock");
  strategy.workers = 0;
  EXPECT_THROW(Engine(plugins.services, strategy), Error);
  strategy.workers = 1;
  strategy.devices.clear();
  EXPECT_THROW(Engine(plugins.services, strategy), Error);
}

}  // namespace
}  // namespace cuzk::testing
