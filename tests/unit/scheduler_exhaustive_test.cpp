// Every interleaving of three workers over the Scheduler, breadth first: each worker draws a ticket, waits for stage,
// ends it, waits for compute, ends it, and takes the next; a step in a phase may fail, a waiting ticket may be
// cancelled, a bounded number of times. What the scheduler grants is checked against a model of who is where.
#include "test_policies.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {
namespace {

using Event = Scheduler::Event;
using testing::TestPolicy;

constexpr uint32_t kWorkers = 3;

enum class At : uint32_t { idle, drawn, wait_stage, stage, wait_compute, compute };

struct Worker {
  At at = At::idle;
  uint64_t ticket = 0;
  uint32_t slot = CUZK_NONE, workspace = CUZK_NONE;
  auto operator<=>(const Worker&) const = default;
};

struct State {
  Scheduler scheduler;
  std::vector<Worker> workers;
  uint32_t to_draw, losses_left;
};

struct Limits {
  uint32_t slots, stage_width, compute_width;
};

struct Totals {
  size_t states = 0, finished = 0;
  uint32_t most_in_stage = 0, most_in_compute = 0, most_slots = 0;
};

class Explorer {
 public:
  Explorer(TestPolicy& policy, const Limits& limits, uint32_t tickets, uint32_t losses) : limits_(limits) {
    push({Scheduler(policy, "policy under test", limits.slots, kWorkers), std::vector<Worker>(kWorkers), tickets,
          losses});
  }

  Totals run() {
    while (!queue_.empty() && !::testing::Test::HasFailure()) {
      const State state = std::move(queue_.front());
      queue_.pop_front();
      ++totals_.states;
      check(state);
      bool may_move = false;
      for (uint32_t w = 0; w < kWorkers; ++w) may_move |= expand(state, w);
      bool all_idle = true;
      for (const Worker& worker : state.workers) all_idle &= worker.at == At::idle;
      if (all_idle && state.to_draw == 0) {
        ++totals_.finished;
      } else {
        EXPECT_TRUE(may_move) << "stuck: everybody waits";
      }
    }
    return totals_;
  }

 private:
  /// All next steps of one worker. Returns whether it can go on without being cancelled.
  bool expand(const State& state, uint32_t w) {
    const Worker& worker = state.workers[w];
    switch (worker.at) {
      case At::idle:
        if (state.to_draw == 0) return false;
        draw(state, w);
        return true;
      case At::drawn:
        step(state, w, Event::ready, At::wait_stage);
        lose(state, w, Event::failed);
        return true;
      case At::stage:
        step(state, w, Event::staged, At::wait_compute);
        lose(state, w, Event::failed);
        return true;
      case At::compute:
        step(state, w, Event::computed, At::idle);
        lose(state, w, Event::failed);
        return true;
      default:
        lose(state, w, Event::cancelled);
        return false;
    }
  }

  void draw(State state, uint32_t w) {
    state.workers[w].ticket = state.scheduler.draw_ticket(0, false);
    state.workers[w].at = At::drawn;
    --state.to_draw;
    push(std::move(state));
  }

  void lose(State state, uint32_t w, Event event) {
    if (state.losses_left == 0) return;
    --state.losses_left;
    step(std::move(state), w, event, At::idle);
  }

  void step(State state, uint32_t w, Event event, At next) {
    Worker& mover = state.workers[w];
    const Scheduler::Outcome outcome = state.scheduler.on(mover.ticket, event, 0);
    mover.at = next;
    if (next == At::idle) mover = Worker{};
    if (next == At::wait_compute) mover.workspace = CUZK_NONE;
    EXPECT_TRUE(outcome.failures.empty()) << outcome.failures.front().message;
    for (const Scheduler::Grant& grant : outcome.grants) apply(state, grant);
    push(std::move(state));
  }

  static void apply(State& state, const Scheduler::Grant& grant) {
    for (Worker& worker : state.workers) {
      if (worker.ticket != grant.ticket) continue;
      if (grant.phase == Lease::Phase::stage) {
        EXPECT_EQ(worker.at, At::wait_stage);
        worker.at = At::stage;
        worker.slot = grant.slot;
      } else {
        EXPECT_EQ(worker.at, At::wait_compute);
        EXPECT_EQ(worker.slot, grant.slot) << "the slot stays the ticket's own";
        worker.at = At::compute;
        worker.workspace = grant.workspace;
      }
      return;
    }
    ADD_FAILURE() << "grant for ticket " << grant.ticket << ", which nobody holds";
  }

  void check(const State& state) {
    uint32_t in_stage = 0, in_compute = 0;
    std::set<uint32_t> slots, workspaces;
    for (const Worker& worker : state.workers) {
      if (worker.at == At::stage) ++in_stage;
      if (worker.at == At::compute) {
        ++in_compute;
        EXPECT_LT(worker.workspace, state.scheduler.workspaces());
        EXPECT_TRUE(workspaces.insert(worker.workspace).second) << "workspace shared";
      }
      if (worker.at == At::stage || worker.at == At::wait_compute || worker.at == At::compute) {
        EXPECT_LT(worker.slot, limits_.slots);
        EXPECT_TRUE(slots.insert(worker.slot).second) << "slot shared";
      }
    }
    EXPECT_LE(in_stage, limits_.stage_width);
    EXPECT_LE(in_compute, limits_.compute_width);
    totals_.most_in_stage = std::max(totals_.most_in_stage, in_stage);
    totals_.most_in_compute = std::max(totals_.most_in_compute, in_compute);
    totals_.most_slots = std::max(totals_.most_slots, static_cast<uint32_t>(slots.size()));
  }

  void push(State state) {
    if (seen_.emplace(state.workers, state.to_draw, state.losses_left).second) queue_.push_back(std::move(state));
  }

  Limits limits_;
  Totals totals_;
  std::deque<State> queue_;
  std::set<std::tuple<std::vector<Worker>, uint32_t, uint32_t>> seen_;
};

class EveryInterleaving : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Slots, EveryInterleaving, ::testing::Values(1u, 2u, 3u, 5u));

constexpr uint32_t kTickets = 5, kLosses = 2;

TEST_P(EveryInterleaving, OfNone) {
  TestPolicy policy = testing::none_policy();
  const Totals totals = Explorer(policy, {GetParam(), kWorkers, kWorkers}, kTickets, kLosses).run();
  EXPECT_GT(totals.states, 1000u);
  EXPECT_GT(totals.finished, 0u);
  EXPECT_EQ(totals.most_in_compute, std::min(GetParam(), kWorkers)) << "nothing excludes anybody";
  EXPECT_EQ(totals.most_slots, std::min(GetParam(), kWorkers));
}

TEST_P(EveryInterleaving, OfSingleLock) {
  TestPolicy policy = testing::single_policy();
  const Totals totals = Explorer(policy, {GetParam(), 1, 1}, kTickets, kLosses).run();
  EXPECT_GT(totals.states, 1000u);
  EXPECT_GT(totals.finished, 0u);
  EXPECT_EQ(totals.most_slots, 1u) << "one ticket at a time";
}

TEST_P(EveryInterleaving, OfTwoLocks) {
  TestPolicy policy = testing::two_policy();
  const Totals totals = Explorer(policy, {GetParam(), 1, 1}, kTickets, kLosses).run();
  EXPECT_GT(totals.states, 1000u);
  EXPECT_GT(totals.finished, 0u);
  EXPECT_EQ(totals.most_slots, std::min(GetParam(), kWorkers)) << "staging runs ahead as far as slots go";
}

}  // namespace
}  // namespace cuzk
