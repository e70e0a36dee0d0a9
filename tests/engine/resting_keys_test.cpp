// Keys that stay on a device while another is proved with, and which of them leaves when memory is short.
#include "plugins.hpp"

#include <gtest/gtest.h>
#include <list>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/groth16/engine.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kAmple = uint64_t{1} << 40;

class RestingKeys : public ::testing::Test {
 protected:
  /// One more key of the same size, on a card where bases are resident.
  const Circuit& add() { return circuits_.emplace_back(plugins_.services, "bn128/multiplier"); }
  Strategy strategy() {
    return plugins_.strategy(*circuits_.front().key, "single-lock", 1, {}, sample_card("card-16gib.json"));
  }
  /// What a key takes with all that it wants.
  uint64_t one_key() {
    const Strategy opened = strategy();
    const Layout layout = plan_layout(opened, *opened.devices[0], circuits_.front().key->shape,
                                      plugins_.services.cpu().threads(), kAmple, "key");
    EXPECT_GT(layout.key, 0u);
    return layout.total();
  }
  static void prove(Engine& engine, const Circuit& circuit) {
    const ProofResult result = engine.prove(circuit.key, circuit.witness);
    EXPECT_TRUE(result.verified);
    EXPECT_TRUE(result.failures.empty());
    EXPECT_EQ(result.base_paths, 0u) << "bases came with the partition";
  }
  static uint64_t opened(const Engine& engine) { return engine.devices()[0].keys_opened; }
  static uint64_t held(const Engine& engine) { return engine.devices()[0].memory.held; }

  Plugins plugins_{2, std::make_shared<SimulatedClock>()};
  std::list<Circuit> circuits_;
};

TEST_F(RestingKeys, AChangeBackLoadsNothing) {
  const Circuit &a = add(), &b = add();
  Engine engine(plugins_.services, strategy());
  for (int round = 0; round < 3; ++round) {
    prove(engine, a);
    prove(engine, b);
  }
  EXPECT_EQ(opened(engine), 2u);
  EXPECT_EQ(held(engine), 2 * one_key());
}

TEST_F(RestingKeys, TheLeastRecentlyUsedLeavesFirst) {
  const Circuit &a = add(), &b = add(), &c = add();
  Engine engine(plugins_.services, strategy(), 2 * one_key());
  prove(engine, a);
  prove(engine, b);
  prove(engine, a);
  EXPECT_EQ(opened(engine), 2u);
  prove(engine, c);  // b leaves
  EXPECT_EQ(opened(engine), 3u);
  prove(engine, a);
  EXPECT_EQ(opened(engine), 3u);
  prove(engine, b);  // c leaves
  EXPECT_EQ(opened(engine), 4u);
  EXPECT_EQ(engine.devices()[0].memory.high_water, 2 * one_key());
}

TEST_F(RestingKeys, WithMemoryForOneEachChangeLoads) {
  const Circuit &a = add(), &b = add();
  Engine engine(plugins_.services, strategy(), 2 * one_key() - 1);
  for (int round = 0; round < 2; ++round) {
    prove(engine, a);
    prove(engine, b);
  }
  EXPECT_EQ(opened(engine), 4u);
  EXPECT_EQ(held(engine), one_key());
}

/// Keys whose points are decoded: each worker has blocks for that.
TEST_F(RestingKeys, HostMemoryOfThoseThatRestCounts) {
  const std::string folder = std::string(CUZK_TEST_VECTORS) + "/params/tiny";
  const auto open = [&] {
    return open_params(folder + "/key.params", folder + "/circuit.pce", plugins_.services.cpu());
  };
  const auto a = open(), b = open();
  const Witness witness = read_wtns(folder + "/witness.wtns", plugins_.services.cpu(), plugins_.services.memory());
  const Strategy opened_with = plugins_.strategy(*a, "single-lock", 1, {}, sample_card("card-16gib.json"));
  const auto keys_opened = [&](std::optional<uint64_t> host_memory) {
    Engine engine(plugins_.services, opened_with, {}, host_memory);
    for (int round = 0; round < 2; ++round) {
      for (const auto& key : {a, b}) EXPECT_TRUE(engine.prove(key, witness).verified);
    }
    return std::pair(opened(engine), *engine.devices()[0].host);
  };
  const auto [ample, host] = keys_opened({});
  EXPECT_EQ(ample, 2u);
  ASSERT_GT(host.worker(), 0u);
  EXPECT_EQ(keys_opened(host.total() + host.worker()).first, 2u);
  EXPECT_EQ(keys_opened(host.total() + host.worker() - 1).first, 4u);
}

TEST_F(RestingKeys, ThoseThatNobodyHasAnyMoreLeave) {
  const Circuit& a = add();
  Engine engine(plugins_.services, strategy());
  for (int round = 0; round < 5; ++round) {
    const Circuit passing(plugins_.services, "bn128/multiplier");
    prove(engine, passing);
    prove(engine, a);
  }
  EXPECT_EQ(opened(engine), 6u);
  EXPECT_LE(engine.devices()[0].memory.high_water, 3 * one_key());
}

TEST_F(RestingKeys, AKeyThatFitsNowhereDrivesNobodyOut) {
  const Circuit &a = add(), &b = add();
  const Partitions large(plugins_.services, "porep:10,curve=bn254,partitions=1");
  const Strategy opened_with = strategy();
  const uint64_t least =
      least_footprint(opened_with, *opened_with.devices[0], large.key->shape, plugins_.services.cpu().threads());
  ASSERT_LT(2 * one_key(), least);
  Engine engine(plugins_.services, opened_with, 2 * one_key());
  prove(engine, a);
  prove(engine, b);
  EXPECT_THROW(engine.prove(large.key, large.witnesses[0]), Error);
  prove(engine, a);
  prove(engine, b);
  EXPECT_EQ(opened(engine), 2u);
}

TEST_F(RestingKeys, OfTwoDevicesTheOneWhereTheKeyRestsIsTaken) {
  const Circuit &a = add(), &b = add(), &c = add();
  const Strategy opened_with =
      plugins_.strategy(*a.key, "single-lock", 1, {"cpu:0", "cpu:1"}, sample_card("card-16gib.json"));
  Engine engine(plugins_.services, opened_with);
  for (int round = 0; round < 3; ++round) {
    for (const Circuit* circuit : {&a, &b, &c}) prove(engine, *circuit);
  }
  EXPECT_EQ(engine.devices()[0].keys_opened + engine.devices()[1].keys_opened, 3u);
}

}  // namespace
}  // namespace cuzk::testing
