// Strategies on cards that are not there, in the proportions of Filecoin's proof of replication.
#include <algorithm>
#include <gtest/gtest.h>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/error.hpp>
#include <cuzk/groth16/simulation.hpp>
#include <cuzk/runtime/summary.hpp>

namespace cuzk {
namespace {

/// As interlocks' policies, without the plugin.
class Lock final : public LockComponent {
 public:
  enum class Kind { single, two, naive, stuck };
  explicit Lock(Kind kind) : kind_(kind) {
    info_.plugin = "test";
    info_.name = "policy";
    info_.role = Role::lock;
    if (kind == Kind::naive) info_.api_flags = CUZK_LOCK_LATE_WORKSPACE;
  }
  const ComponentInfo& info() const override { return info_; }
  uint32_t stage_width() const override { return 1; }
  uint32_t compute_width() const override { return 1; }
  std::unique_ptr<LockPolicy> open(uint32_t) const override { return std::make_unique<Policy>(kind_); }

 private:
  struct Policy final : LockPolicy {
    explicit Policy(Kind of) : kind(of) {}
    uint32_t stage_width() const override { return 1; }
    uint32_t compute_width() const override { return 1; }
    uint32_t pick(const cuzk_lock_view& view) override {
      const auto in = [&](uint32_t state) {
        return std::count_if(view.tickets, view.tickets + view.count,
                             [&](const cuzk_ticket& ticket) { return ticket.state == state; });
      };
      const auto oldest = [&](uint32_t state) {
        for (uint32_t i = 0; i < view.count; ++i) {
          if (view.tickets[i].state == state) return i;
        }
        return uint32_t{CUZK_NONE};
      };
      const bool staging = in(CUZK_IN_STAGE) != 0, computing = in(CUZK_IN_COMPUTE) != 0;
      const uint32_t next = oldest(CUZK_WAIT_STAGE), staged = oldest(CUZK_WAIT_COMPUTE);
      if (kind == Kind::stuck) return CUZK_NONE;
      if (kind == Kind::naive && next != CUZK_NONE && !staging) return next;
      if (staged != CUZK_NONE && !computing) return staged;
      const bool held = kind == Kind::single && (computing || staged != CUZK_NONE);
      return staging || held || view.slots_free == 0 || kind == Kind::naive ? CUZK_NONE : next;
    }
    const Kind kind;
  };

  const Kind kind_;
  ComponentInfo info_;
};

struct Simulated {
  Layout layout;
  SimulationResult result;
  DeviceSummary summary;
};

Simulated simulated(const char* card, Lock::Kind kind, uint32_t workers, uint32_t partitions = 10) {
  const auto lock = std::make_shared<const Lock>(kind);
  Simulation simulation;
  simulation.model = read_device_model(std::string(CUZK_TEST_VECTORS "/../../samples/device-models/") + card);
  simulation.shape = porep_shape(parse_workload("porep:27,curve=bls12-381"));
  simulation.layout = plan_on_card(simulation.model, simulation.shape, lock, workers, {}, "porep:27");
  simulation.partitions = partitions;
  simulation.small_scalars = 0.95;
  SimulationResult result = simulate(simulation, *lock);
  EXPECT_EQ(result.latencies_ns.size() + result.failures.size(), partitions);
  const auto summaries = summarise(result.events);
  EXPECT_EQ(summaries.size(), 1u);
  return {simulation.layout, std::move(result), summaries.at(0)};
}

constexpr const char* kLarge = "card-139gib.json";
constexpr const char* kSmall = "card-16gib.json";
using Kind = Lock::Kind;

TEST(Simulation, FilecoinsProportions) {
  const KeyShape shape = porep_shape(parse_workload("porep:27,curve=bls12-381"));
  const auto near = [](uint64_t found, uint64_t expected) {
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(expected), static_cast<double>(expected) * 1e-3);
  };
  EXPECT_EQ(shape.publics, 327u);
  EXPECT_EQ(shape.queries[0].count, (uint64_t{1} << 27) - 1);
  near(shape.variables, 130'169'893 + 328);
  near(shape.queries[1].count, 130'169'893);
  near(shape.queries[2].count, 129'753'292 + 328);
  near(shape.queries[3].count, 33'112'281 + 1);
  EXPECT_THROW(porep_shape(parse_workload("dense:10")), Error);
}

TEST(Simulation, TheLargeCardKeepsTheKeyAndTheSmallOneStreamsIt) {
  const Simulated large = simulated(kLarge, Kind::two, 2), small = simulated(kSmall, Kind::two, 2);
  EXPECT_NEAR(static_cast<double>(large.layout.key) / (1 << 30), 44.1, 0.1);
  EXPECT_EQ(large.layout.slots, 2u);
  EXPECT_EQ(small.layout.key, 0u);
  EXPECT_EQ(small.layout.slots, 1u);
  EXPECT_TRUE(small.layout.c_late);
  EXPECT_NEAR(static_cast<double>(large.summary.uploaded_bytes) / 10 / (1 << 30), 11.9, 0.1);
  EXPECT_NEAR(static_cast<double>(small.summary.uploaded_bytes) / 10 / (1 << 30), 60.0, 0.2);
}

/// With room for a second slot, two locks upload under kernels and one does not; that is what they gain.
TEST(Simulation, TwoLocksUploadUnderKernels) {
  const Simulated one = simulated(kLarge, Kind::single, 2), two = simulated(kLarge, Kind::two, 2);
  EXPECT_EQ(one.summary.overlapped_ns, 0u);
  EXPECT_GT(two.summary.overlapped_ns, two.summary.window_ns / 10);
  EXPECT_GT(two.summary.kernel_busy(), 0.99);
  EXPECT_LT(one.summary.kernel_busy(), 0.92);
  EXPECT_LT(two.result.end_ns, one.result.end_ns * 95 / 100);
}

/// Streamed bases are uploaded under the kernels of the chunks before, whatever the policy.
TEST(Simulation, WithOneSlotThePoliciesAreTheSame) {
  const Simulated one = simulated(kSmall, Kind::single, 3), two = simulated(kSmall, Kind::two, 3);
  EXPECT_EQ(one.result.end_ns, two.result.end_ns);
  EXPECT_GT(one.summary.overlapped_ns, one.summary.window_ns / 10);
}

TEST(Simulation, TheNaivePolicyLosesPartitionsOnTheSmallCardAlone) {
  const Simulated small = simulated(kSmall, Kind::naive, 3), large = simulated(kLarge, Kind::naive, 3);
  ASSERT_FALSE(small.result.failures.empty());
  EXPECT_FALSE(small.result.latencies_ns.empty()) << "the others go on";
  EXPECT_EQ(small.result.failures[0].code(), ErrorCode::out_of_memory);
  EXPECT_NE(std::string(small.result.failures[0].what()).find("test/policy"), std::string::npos);
  EXPECT_TRUE(large.result.failures.empty());
}

TEST(Simulation, APolicyThatStallsIsNoWantOfMemory) {
  const SimulationResult result = simulated(kLarge, Kind::stuck, 2, 3).result;
  ASSERT_EQ(result.failures.size(), 3u);
  for (const Error& failure : result.failures) EXPECT_EQ(failure.code(), ErrorCode::internal) << failure.what();
}

TEST(Simulation, TheSameEveryTime) {
  const Simulated first = simulated(kSmall, Kind::two, 3), second = simulated(kSmall, Kind::two, 3);
  ASSERT_EQ(first.result.events.size(), second.result.events.size());
  for (size_t i = 0; i < first.result.events.size(); ++i) {
    EXPECT_EQ(first.result.events[i].name, second.result.events[i].name);
    EXPECT_EQ(first.result.events[i].begin_ns, second.result.events[i].begin_ns);
    EXPECT_EQ(first.result.events[i].end_ns, second.result.events[i].end_ns);
  }
}

/// No engine does two things at once, and no event ends before it begins.
TEST(Simulation, EnginesDoOneThingAtATime) {
  const Simulated run = simulated(kLarge, Kind::two, 3, 4);
  for (const uint32_t kind : {CUZK_SPAN_H2D, CUZK_SPAN_KERNEL}) {
    uint64_t busy_until = 0;
    for (const Event& event : run.result.events) {
      EXPECT_LE(event.begin_ns, event.end_ns);
      if (event.kind != kind) continue;
      EXPECT_GE(event.begin_ns, busy_until);
      busy_until = event.end_ns;
    }
    EXPECT_GT(busy_until, 0u);
  }
}

TEST(Simulation, WhatDoesNotFitIsRefusedWithBothFigures) {
  const auto lock = std::make_shared<const Lock>(Kind::single);
  const DeviceModel model = read_device_model(CUZK_TEST_VECTORS "/../../samples/device-models/card-16gib.json");
  try {
    plan_on_card(model, porep_shape(parse_workload("porep:27")), lock, 1, uint64_t{8} << 30, "porep:27");
    FAIL() << "8 GiB were enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("8.0 GiB"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuzk
