// The k-th call into the device and the components fails, for every k.
#include "fakes.hpp"
#include "synthetic_key.hpp"

#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/prover.hpp>

namespace cuzk::testing {
namespace {

class Failures : public ::testing::TestWithParam<FakeOptions> {};

TEST_P(Failures, AreTypedAndLeaveTheNextProofWell) {
  HostServices services(2);
  const auto key = synthetic_key({Curve::bn254, CUZK_H_MONOMIAL, true, true});
  const Witness witness = synthetic_witness(services.memory(), Curve::bn254, 3);
  FakeEngine engine(GetParam());
  Prover prover(services, engine.strategy, 0, key);
  const uint64_t opened = prover.memory().held;
  engine.faults->restart();
  ASSERT_TRUE(prover.prove(witness).verified);
  const uint64_t calls = engine.faults->calls();
  ASSERT_GT(calls, 10);
  for (uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE(k);
    engine.faults->restart();
    engine.faults->fail_at(k);
    try {
      prover.prove(witness);
      ADD_FAILURE() << "the failure was swallowed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
    }
    EXPECT_EQ(prover.memory().held, opened);
    EXPECT_TRUE(prover.prove(witness).verified);
  }
}

TEST_P(Failures, WhileOpeningLeaveNothing) {
  HostServices services(2);
  const auto key = synthetic_key({Curve::bn254, CUZK_H_MONOMIAL, true, true});
  FakeEngine engine(GetParam());
  { Prover prover(services, engine.strategy, 0, key); }
  const uint64_t calls = engine.faults->calls();
  for (uint64_t k = 1; k <= calls; ++k) {
    SCOPED_TRACE(k);
    engine.faults->restart();
    engine.faults->fail_at(k);
    try {
      Prover prover(services, engine.strategy, 0, key);
      ADD_FAILURE() << "the failure was swallowed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
    }
    EXPECT_EQ(engine.device->used(), 0);
    EXPECT_EQ(engine.device->fences(), 0);
    EXPECT_EQ(engine.device->overruns(), 0);
  }
}

FakeOptions named(FakeOptions options, const char* label) {
  options.label = label;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Groth16, Failures,
    ::testing::Values(named({}, "adopting"), named({.device_kind = CUZK_SPACE_CUDA, .adopt = false}, "remote"),
                      named({.device_kind = CUZK_SPACE_CUDA, .adopt = false, .resident = true}, "resident"),
                      named({.adopt = false, .select = false, .feed = false, .many = false}, "bare"),
                      named({.device_kind = CUZK_SPACE_CUDA, .adopt = false, .msm_on_host = true}, "host_msm"),
                      named({.adopt = false, .ntt_on_host = true}, "host_ntt")),
    [](const auto& test) { return test.param.label; });

TEST(Memory, TooLittleIsAnErrorWithBothFigures) {
  HostServices services(1);
  const auto key = synthetic_key({});
  FakeEngine engine({});
  try {
    Prover prover(services, engine.strategy, 0, key, 1000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    const std::string text = error.what();
    for (const char* part : {"cpu:0", "synthetic.key", "needs at least", "1000 B available", "--device-memory"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  EXPECT_EQ(engine.device->used(), 0);
}

}  // namespace
}  // namespace cuzk::testing
