// Few threads and fewer CPUs: nobody waits on a thread that those who are waited for need.
#include "one_cpu.hpp"

#include "fakes.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <cuzk/groth16/prover.hpp>

namespace cuzk::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Threads, OneCpu, ::testing::Values(1, 2, 3), ::testing::PrintToStringParamName());

TEST_P(OneCpu, FourProofsAtOnceEnd) {
  constexpr uint32_t kProofs = 4;
  HostServices services(GetParam());
  const Circuit circuit(services, "bn128/multiplier");
  for (const bool exclusive : {true, false}) {
    for (const bool adopt : {true, false}) {
      FakeEngine engine({.adopt = adopt, .workers = kProofs, .exclusive = exclusive});
      Prover prover(services, engine.strategy, 0, circuit.key);
      std::vector<std::thread> threads;
      for (uint32_t worker = 0; worker < kProofs; ++worker) {
        threads.emplace_back([&, worker] {
          for (int i = 0; i < 3; ++i) EXPECT_TRUE(prover.prove(circuit.witness, {}, worker).verified);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }
}

}  // namespace
}  // namespace cuzk::testing
