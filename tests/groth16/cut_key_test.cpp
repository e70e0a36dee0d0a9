// The key's file is shortened at any moment of a proof.
#include "fakes.hpp"
#include "vectors.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/prover.hpp>

namespace cuzk::testing {
namespace {

class CutKey : public ::testing::TestWithParam<FakeOptions> {
 protected:
  CutKey() {
    std::string name = (std::filesystem::temp_directory_path() / "cuzk-cut-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~CutKey() override { std::filesystem::remove_all(folder_); }

  /// A fresh copy of a key, opened.
  std::shared_ptr<const ProvingKey> key() {
    std::filesystem::remove(path());
    std::filesystem::copy_file(vector_path(kCircuit, "circuit.zkey"), path());
    return open_zkey(path(), services_.cpu());
  }
  std::string path() const { return folder_ / "circuit.zkey"; }
  void cut(uint64_t size) const { std::filesystem::resize_file(path(), size); }
  void expect_refused(const std::function<void()>& use) const {
    try {
      use();
      ADD_FAILURE() << "a key that was cut was used";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      EXPECT_EQ(std::string(error.what()).find(path() + ": was shortened while it was read"), 0U) << error.what();
    }
  }

  static constexpr const char* kCircuit = "bn128/poseidon2";
  HostServices services_{2};
  Circuit circuit_{services_, kCircuit};
  std::filesystem::path folder_;
};

TEST_P(CutKey, BeforeTheProverOpensOrProves) {
  for (const uint64_t size : {uint64_t{0}, uint64_t{70000}, std::filesystem::file_size(circuit_.key->name) - 1}) {
    FakeEngine engine(GetParam());
    const auto first = key();
    cut(size);
    expect_refused([&] { Prover(services_, engine.strategy, 0, first).prove(circuit_.witness); });
    const auto second = key();
    Prover prover(services_, engine.strategy, 0, second);
    EXPECT_TRUE(prover.prove(circuit_.witness).verified);
    cut(size);
    expect_refused([&] { prover.prove(circuit_.witness); });
  }
}

TEST_P(CutKey, AtCallsAllOverAProof) {
  FakeEngine engine(GetParam());
  uint64_t calls = 0;
  {
    Prover prover(services_, engine.strategy, 0, circuit_.key);
    engine.faults->restart();
    prover.prove(circuit_.witness);
    calls = engine.faults->calls();
  }
  ASSERT_GT(calls, 5U);
  for (uint64_t k = 1; k <= calls; k += 1 + calls / 12) {
    SCOPED_TRACE(k);
    const auto opened = key();
    Prover prover(services_, engine.strategy, 0, opened);
    engine.faults->restart();
    engine.faults->run_at(k, [&] { cut(4096 * (k % 3)); });
    expect_refused([&] { prover.prove(circuit_.witness); });
    engine.faults->run_at(0, {});
  }
  Prover prover(services_, engine.strategy, 0, circuit_.key);
  EXPECT_TRUE(prover.prove(circuit_.witness).verified) << "a good key afterwards";
}

FakeOptions named(FakeOptions options, const char* label) {
  options.label = label;
  return options;
}

INSTANTIATE_TEST_SUITE_P(Groth16, CutKey,
                         ::testing::Values(named({}, "adopting"),
                                           named({.device_kind = CUZK_SPACE_CUDA, .adopt = false}, "remote")),
                         [](const auto& test) { return test.param.label; });

}  // namespace
}  // namespace cuzk::testing
