// Every lock policy x workers x device memory x residency of the key gives the same proofs, and less than the least
// that proves is refused at once.
#include "plugins.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <iostream>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::testing {
namespace {

// Sanitizers make a proof ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kWorkload = "porep:10,curve=bls12-381,partitions=10";
constexpr uint32_t kJobs = 1;
#else
constexpr const char* kWorkload = "porep:12,curve=bls12-381,partitions=10";
constexpr uint32_t kJobs = 3;
#endif
constexpr uint64_t kAmple = uint64_t{1} << 40;
constexpr uint32_t kTenths[] = {22, 13, 10};  // of a footprint

class Matrix : public ::testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  const char* lock() const { return std::get<0>(GetParam()); }
  bool resident() const { return std::get<1>(GetParam()); }

  /// Bases stay on a device of its own memory; where the device is the host's, they are used in place.
  Strategy strategy(uint32_t workers) {
    return plugins_.strategy(*partitions_.key, lock(), workers, {},
                             resident() ? std::optional(sample_card("card-16gib.json")) : std::nullopt);
  }
  static ProveOptions seeded(size_t partition) {
    ProveOptions options;
    options.insecure_seed = 100 + partition;
    return options;
  }
  std::string proof_of(Engine& engine, size_t partition) {
    const ProofResult result = engine.prove(partitions_.key, partitions_.witnesses[partition], seeded(partition));
    for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
    return result.verified ? proof_json(result.proof) : "not verified";
  }

  /// The proofs of one worker with all memory.
  std::vector<std::string> expected() {
    Engine engine(plugins_.services, plugins_.strategy(*partitions_.key, "single-lock"));
    std::vector<std::string> proofs;
    for (size_t i = 0; i < partitions_.witnesses.size(); ++i) proofs.push_back(proof_of(engine, i));
    return proofs;
  }

  Plugins plugins_{2, std::make_shared<SimulatedClock>()};
  const Partitions partitions_{plugins_.services, kWorkload};
};

TEST_P(Matrix, SameProofsAlways) {
  const std::vector<std::string> proofs = expected();
  uint32_t cases = 0, proved = 0;
  for (uint32_t workers = 1; workers <= 4; ++workers) {
    const Strategy strategy = this->strategy(workers);
    const auto [key, footprint] =
        footprint_of(strategy, *strategy.devices[0], partitions_.key->shape, plugins_.services.cpu().threads());
    EXPECT_EQ(key != 0, resident());
    std::vector<uint64_t> limits{kAmple};
    for (const uint32_t tenths : kTenths) limits.push_back(key + footprint * tenths / 10);
    for (const uint64_t limit : limits) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + format_exact_bytes(limit));
      Engine engine(plugins_.services, strategy, limit);
      std::atomic<uint32_t> same{0};
      {
        JobQueue queue(engine.most_in_flight());
        std::vector<std::future<void>> done;
        for (uint32_t job = 0; job < kJobs; ++job) {
          for (size_t i = 0; i < proofs.size(); ++i) {
            done.push_back(queue.submit([&, i](uint64_t) { same += proof_of(engine, i) == proofs[i] ? 1 : 0; }));
          }
        }
        for (std::future<void>& one : done) EXPECT_NO_THROW(one.get());
      }
      EXPECT_EQ(same, kJobs * proofs.size());
      const Engine::DeviceUse use = engine.devices()[0];
      EXPECT_EQ(use.layout->key, key);
      EXPECT_LE(use.memory.high_water, limit);
      ++cases;
      proved += same;
      plugins_.services.timeline().take();
    }
  }
  std::cout << lock() << (resident() ? ", resident: " : ", streamed: ") << cases << " combinations, " << proved
            << " proofs, verified and the same\n";
}

TEST_P(Matrix, LessThanTheLeastIsRefusedWithBothFigures) {
  for (uint32_t workers = 1; workers <= 4; ++workers) {
    const Strategy strategy = this->strategy(workers);
    const uint64_t least =
        least_footprint(strategy, *strategy.devices[0], partitions_.key->shape, plugins_.services.cpu().threads());
    Engine engine(plugins_.services, strategy, least - 1);
    try {
      proof_of(engine, 0);
      FAIL() << "less than the least was enough";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      EXPECT_EQ(exit_code(error.code()), 5);
      const std::string message = error.what();
      EXPECT_NE(message.find(format_exact_bytes(least)), std::string::npos) << message;
      EXPECT_NE(message.find(format_exact_bytes(least - 1)), std::string::npos) << message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Matrix,
                         ::testing::Combine(::testing::Values("none", "single-lock", "two-lock"), ::testing::Bool()),
                         [](const auto& tested) {
                           std::string name = std::get<0>(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (std::get<1>(tested.param) ? "_resident" : "_streamed");
                         });

}  // namespace
}  // namespace cuzk::testing
