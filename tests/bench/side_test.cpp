#include "cuzk-bench/side.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::bench {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_side("a", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(Side, AllThatItMaySay) {
  const SideRequest side = parse_side(
      "a", "cuda-prestage,staging=s,ntt=n,msm=m,lock=two-lock,device=0,device=1,workers=3,bases=streamed,memory=1.3fp");
  EXPECT_EQ(side.strategy.plugin, "cuda-prestage");
  EXPECT_EQ(side.strategy.staging + side.strategy.ntt + side.strategy.msm, "snm");
  EXPECT_EQ(side.strategy.lock, "two-lock");
  EXPECT_EQ(side.strategy.devices, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(side.strategy.workers, 3u);
  EXPECT_TRUE(side.strategy.stream_bases);
  EXPECT_EQ(side.memory.footprints, 1.3);
  EXPECT_EQ(parse_side("a", "x,memory=16GiB").memory.bytes, uint64_t{16} << 30);
  EXPECT_FALSE(parse_side("a", "x,memory=ample").memory.bytes);
  EXPECT_FALSE(parse_side("a", "x,lock=none,bases=resident").strategy.stream_bases);
}

TEST(Side, RefusalsNameWhatWasFound) {
  for (const char* const text : {"", "x,", "x,y", "workers=1", "x,workers=1,workers=3", "x,lock=a,lock=a",
                                 "x,lock=", "x,colour=red", "x,workers=0", "x,workers=two", "x,bases=some",
                                 "x,memory=0fp", "x,memory=-1fp", "x,memory=fp", "x,memory=1e3fp", "x,memory=much"}) {
    const std::string message = refusal(text);
    EXPECT_EQ(message.find("--a: "), 0u) << text << ": " << message;
  }
}

/// With key + 1.0 footprint the key stays, with a byte less it does not; 1.3 footprints are between.
TEST(Side, FootprintsLeaveTheKeyWhereItIs) {
  ::unsetenv("CUZK_PLUGIN_PATH");
  HostServices services(2);
  PluginRegistry registry(services);
  registry.scan(CUZK_PLUGINS);
  const Workload workload(parse_workload("porep:10,partitions=1"));
  const auto key = setup(workload.circuit(), workload.conventions(), 1, services.cpu());
  const std::string model = std::string(CUZK_TEST_VECTORS) + "/../../samples/device-models/card-16gib.json";
  for (const bool streamed : {false, true}) {
    const std::string text =
        "cpu-reference,lock=two-lock,workers=2,model=" + model + (streamed ? ",bases=streamed" : "");
    const Side one = compose_side(registry, parse_side("a", text + ",memory=1.0fp"), key->shape);
    const Strategy& strategy = one.composition.strategy;
    const auto layout = [&](uint64_t bytes) {
      return plan_layout(strategy, *strategy.devices[0], key->shape, 2, bytes, "key");
    };
    const uint64_t whole = layout(uint64_t{1} << 40).key, least = *one.device_memory;
    EXPECT_EQ(whole == 0, streamed);
    EXPECT_EQ(layout(least).key, whole);
    if (streamed) {
      EXPECT_EQ(least, least_footprint(strategy, *strategy.devices[0], key->shape, 2));
    } else {
      EXPECT_LT(layout(least - 1).key, whole);
    }
    const Side more = compose_side(registry, parse_side("a", text + ",memory=1.3fp"), key->shape);
    EXPECT_NEAR(static_cast<double>(*more.device_memory - whole), 1.3 * static_cast<double>(least - whole), 1);
  }
}

}  // namespace
}  // namespace cuzk::bench
