#include "test_policies.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

using testing::TestPolicy;
using namespace std::chrono_literals;

constexpr cuzk_space kSpace{CUZK_SPACE_MODEL, 3};

class DeviceQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceQueue> queue(TestPolicy policy, uint32_t slots, uint32_t workers) {
    auto made = std::make_unique<DeviceQueue>(services_, "cpu:3", kSpace,
                                              std::make_unique<TestPolicy>(std::move(policy)), "test", slots, workers);
    memory_.resize(made->workspaces());
    std::vector<cuzk_mem> workspaces;
    for (char& byte : memory_) workspaces.push_back({&byte, 1, kSpace});
    made->set_workspaces(workspaces);
    return made;
  }

  HostServices services_{1};
  std::vector<char> memory_;
};

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing thrown";
  return {ErrorCode::usage, ""};
}

template <class T>
bool still_waits(std::future<T>& future) {
  return future.wait_for(30ms) == std::future_status::timeout;
}

TEST_F(DeviceQueueTest, LeasesSayWhatTheyGrant) {
  const auto q = queue(testing::single_policy(), 1, 1);
  const uint64_t ticket = q->draw_ticket(0);
  {
    Lease stage = q->stage(ticket, 4);
    EXPECT_EQ(stage.phase(), Lease::Phase::stage);
    EXPECT_EQ(stage.space().index, 3);
    EXPECT_EQ(stage.slot(), 0u);
    EXPECT_EQ(stage.call().struct_size, sizeof(cuzk_call));
    EXPECT_EQ(stage.call().ticket, ticket);
    EXPECT_EQ(stage.call().worker, 4u);
    EXPECT_EQ(stage.call().workspace.data, nullptr);
    stage.finish();
  }
  Lease compute = q->compute(ticket, 4);
  EXPECT_EQ(compute.phase(), Lease::Phase::compute);
  EXPECT_EQ(compute.call().workspace.data, memory_.data());
  compute.finish();
  compute.finish();
}

TEST_F(DeviceQueueTest, WorkspacesMustBeAsManyAsThePolicyWants) {
  const auto q = queue(testing::none_policy(), 2, 3);
  EXPECT_EQ(q->workspaces(), 3u);
  const Error error = error_of([&] { q->set_workspaces(std::vector<cuzk_mem>(2)); });
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_STREQ(error.what(), "cpu:3: found 2 workspaces, expected 3");
}

TEST_F(DeviceQueueTest, FailedStageFreesTheSlot) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0);
  std::future<void> waiting;
  {
    const Lease lost = q->stage(a, 0);
    waiting = std::async(std::launch::async, [&] { q->stage(b, 1).finish(); });
    EXPECT_TRUE(still_waits(waiting));
  }
  waiting.get();
  EXPECT_EQ(error_of([&] { (void)q->compute(a, 0); }).code(), ErrorCode::internal) << "a failed in stage: it is gone";
  q->compute(b, 1).finish();
}

/// What a stage left running ends before another gets its slot, however the ticket is lost.
TEST_F(DeviceQueueTest, WhatStageLeftRunningIsSettledBeforeTheSlotGoes) {
  constexpr uint64_t kLost = 7;
  for (const bool cancelled : {true, false}) {
    SCOPED_TRACE(cancelled);
    std::atomic<bool> stalls{false}, copying{true}, settled{false};
    const auto pick = [&](const cuzk_lock_view& view) {
      const bool computes = testing::count_in(view, CUZK_IN_COMPUTE) != 0;
      for (uint32_t i = 0; i < view.count && !computes; ++i) {
        if (view.tickets[i].state == CUZK_WAIT_COMPUTE && view.tickets[i].job != kLost) return i;
      }
      const bool stuck = stalls && testing::oldest_in(view, CUZK_WAIT_COMPUTE) != CUZK_NONE;
      return stuck || view.slots_free == 0 ? CUZK_NONE : testing::oldest_in(view, CUZK_WAIT_STAGE);
    };
    const auto q = queue(TestPolicy(1, 1, pick), 2, 3);
    ProofJob job;
    const uint64_t runs = q->draw_ticket(1), lost = q->draw_ticket(kLost), next = q->draw_ticket(2);
    const HostServices::Watch watch(services_, lost, &job);
    q->stage(runs, 0, [&] { settled = true; }).finish();
    Lease computing = q->compute(runs, 0);
    q->stage(lost, 1, [&] {
       std::this_thread::sleep_for(20ms);
       copying = false;
     }).finish();
    auto waiting = std::async(std::launch::async, [&] { return q->compute(lost, 1).slot(); });
    auto slot = std::async(std::launch::async, [&] {
      Lease lease = q->stage(next, 2);
      EXPECT_EQ(lease.slot(), cancelled ? 1u : 0u);
      EXPECT_FALSE(copying) << "the slot was given on while copies into it ran";
      lease.finish();
    });
    EXPECT_TRUE(still_waits(slot));
    if (cancelled) {
      job.cancel();
    } else {
      stalls = true;
      computing.finish();
    }
    const Error error = error_of([&] { waiting.get(); });
    EXPECT_EQ(error.code(), cancelled ? ErrorCode::cancelled : ErrorCode::internal) << error.what();
    slot.get();
    computing.finish();
    q->compute(next, 2).finish();
    EXPECT_FALSE(settled) << "that one was let in";
  }
}

TEST_F(DeviceQueueTest, FailedComputeLetsTheNextIn) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0);
  q->stage(a, 0).finish();
  auto waiting = std::async(std::launch::async, [&] { q->stage(b, 1).finish(); });
  {
    const Lease lost = q->compute(a, 0);
    EXPECT_TRUE(still_waits(waiting));
  }
  waiting.get();
  q->compute(b, 1).finish();
}

TEST_F(DeviceQueueTest, MovedFromLeasesDoNothing) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0);
  std::optional<Lease> holder;
  std::future<void> waiting;
  {
    Lease lease = q->stage(a, 0);
    holder.emplace(std::move(lease));
    lease.finish();  // NOLINT(bugprone-use-after-move): this is what is tested
  }
  waiting = std::async(std::launch::async, [&] { q->stage(b, 1).finish(); });
  EXPECT_TRUE(still_waits(waiting)) << "the moved-to lease holds the phase";
  holder->finish();
  q->compute(a, 0).finish();
  waiting.get();
  q->abandon(b);
}

TEST_F(DeviceQueueTest, AbandonedBetweenPhasesFreesTheSlot) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0), never = q->draw_ticket(0);
  q->stage(a, 0).finish();
  auto waiting = std::async(std::launch::async, [&] { q->stage(b, 1).finish(); });
  EXPECT_TRUE(still_waits(waiting));
  q->abandon(a);
  waiting.get();
  q->abandon(a);
  q->abandon(never);
  q->abandon(12345);
  q->compute(b, 1).finish();
}

TEST_F(DeviceQueueTest, LeaseMayOutliveTheQueue) {
  auto q = queue(testing::single_policy(), 1, 1);
  const uint64_t ticket = q->draw_ticket(0);
  std::optional<Lease> lease(q->stage(ticket, 0));
  q.reset();
  lease.reset();
  EXPECT_EQ(services_.timeline().events().size(), 2u);
}

TEST_F(DeviceQueueTest, CancellationReachesThoseWhoWait) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0);
  const Lease held = q->stage(a, 0);
  auto waiting = std::async(std::launch::async, [&] { return error_of([&] { (void)q->stage(b, 1); }); });
  EXPECT_TRUE(still_waits(waiting));
  const auto before = std::chrono::steady_clock::now();
  services_.cancel_all();
  const Error error = waiting.get();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
  EXPECT_STREQ(error.what(), "cpu:3: ticket 2 was cancelled while it waited for stage");
}

TEST_F(DeviceQueueTest, StallReachesTheTicketThatPays) {
  const auto q = queue(TestPolicy(1, 1, [](const cuzk_lock_view&) { return CUZK_NONE; }), 1, 1);
  const uint64_t ticket = q->draw_ticket(0);
  const Error error = error_of([&] { (void)q->stage(ticket, 0); });
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_STREQ(error.what(),
               "cpu:3: lock policy test stalls: nobody is in a phase and it lets no waiting ticket in; ticket 1 fails");
}

TEST_F(DeviceQueueTest, APolicyThatThrowsWhenALeaseGoesFailsTheOldestWhoWaits) {
  std::atomic<bool> broken{false};
  const auto pick = [&broken](const cuzk_lock_view& view) {
    if (broken && testing::count_in(view, CUZK_IN_STAGE) == 0) {
      broken = false;
      throw Error(ErrorCode::internal, "broken/policy: pick: out of order");
    }
    return testing::pick_single(view);
  };
  const auto q = queue(TestPolicy(1, 1, pick), 1, 3);
  const uint64_t first = q->draw_ticket(0), second = q->draw_ticket(0), third = q->draw_ticket(0);
  std::optional<Lease> held(q->stage(first, 0));
  auto oldest = std::async(std::launch::async, [&] { return error_of([&] { q->stage(second, 1); }); });
  EXPECT_TRUE(still_waits(oldest));
  auto next = std::async(std::launch::async, [&] { return q->stage(third, 2).phase(); });
  EXPECT_TRUE(still_waits(next));
  broken = true;
  held.reset();  // a destructor: nothing may leave it
  const Error error = oldest.get();
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_EQ(std::string(error.what()),
            "cpu:3: lock policy test fails to pick: broken/policy: pick: out of order; ticket 2 fails");
  EXPECT_EQ(next.get(), Lease::Phase::stage);
}

TEST_F(DeviceQueueTest, StallOfAStagedTicketWaitsForItsCompute) {
  const auto q = queue(TestPolicy(1, 1,
                                  [](const cuzk_lock_view& view) {
                                    return testing::count_in(view, CUZK_IN_STAGE) == 0
                                               ? testing::oldest_in(view, CUZK_WAIT_STAGE)
                                               : CUZK_NONE;
                                  }),
                       2, 1);
  const uint64_t a = q->draw_ticket(0), b = q->draw_ticket(0);
  q->stage(a, 0).finish();
  EXPECT_EQ(error_of([&] { (void)q->compute(a, 0); }).code(), ErrorCode::internal);
  q->stage(b, 0).finish();
  q->abandon(b);
}

TEST_F(DeviceQueueTest, TimelineShowsWaitingAndHolding) {
  const auto q = queue(testing::single_policy(), 1, 2);
  const uint64_t ticket = q->draw_ticket(0);
  q->stage(ticket, 1).finish();
  q->compute(ticket, 1).finish();
  std::vector<std::string> names;
  for (const Event& event : services_.timeline().events()) {
    names.push_back(event.name);
    EXPECT_EQ(event.device, "cpu:3");
    EXPECT_EQ(event.ticket, ticket);
    EXPECT_EQ(event.worker, 1u);
    EXPECT_LE(event.begin_ns, event.end_ns);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"in compute", "in stage", "wait compute", "wait stage"}));
}

/// Who is in which phase, kept outside the queue.
struct Census {
  std::atomic<int> in_stage{0}, in_compute{0}, in_any{0}, most_in_compute{0};
  std::vector<std::atomic<int>> slots, workspaces;
  std::atomic<int> violations{0};

  Census(uint32_t slot_count, uint32_t workspace_count) : slots(slot_count), workspaces(workspace_count) {}
  void enter(std::atomic<int>& count, int most) {
    if (++count > most) ++violations;
  }
};

struct Mix {
  const char* name;
  TestPolicy (*policy)();
  int stage_width, compute_width, any_width;
  uint32_t slots;
};

class DeviceQueueUnderLoad : public DeviceQueueTest, public ::testing::WithParamInterface<Mix> {};
INSTANTIATE_TEST_SUITE_P(Policies, DeviceQueueUnderLoad,
                         ::testing::Values(Mix{"none", testing::none_policy, 8, 8, 16, 8},
                                           Mix{"none_few_slots", testing::none_policy, 8, 8, 16, 3},
                                           Mix{"single", testing::single_policy, 1, 1, 1, 2},
                                           Mix{"two", testing::two_policy, 1, 1, 2, 2}),
                         [](const auto& mix) { return std::string(mix.param.name); });

TEST_P(DeviceQueueUnderLoad, ExcludesWhatThePolicyExcludes) {
  const Mix mix = GetParam();
  constexpr uint32_t kThreads = 8, kTicketsPerThread = 50;
  const auto q = queue(mix.policy(), mix.slots, kThreads);
  Census census(mix.slots, q->workspaces());
  std::atomic<uint32_t> computed{0}, lost{0};

  const auto partition = [&](uint32_t worker, uint32_t round) {
    const uint64_t ticket = q->draw_ticket(worker);
    const bool lose_stage = round % 10 == 3, lose_between = round % 10 == 5, lose_compute = round % 10 == 7;
    uint32_t slot = 0;
    {
      Lease lease = q->stage(ticket, worker);
      slot = lease.slot();
      census.enter(census.in_stage, mix.stage_width);
      census.enter(census.in_any, mix.any_width);
      census.enter(census.slots.at(slot), 1);
      std::this_thread::yield();
      --census.in_any;
      --census.in_stage;
      // A lease that goes without finish() gives its slot up, so the census must have done so before.
      if (lose_stage) {
        --census.slots.at(slot);
      } else {
        lease.finish();
      }
    }
    if (lose_stage || lose_between) {
      ++lost;
      if (lose_between) {
        --census.slots.at(slot);
        q->abandon(ticket);
      }
      return;
    }
    Lease lease = q->compute(ticket, worker);
    EXPECT_EQ(lease.slot(), slot);
    auto& workspace =
        census.workspaces.at(static_cast<size_t>(static_cast<char*>(lease.call().workspace.data) - memory_.data()));
    census.enter(census.in_compute, mix.compute_width);
    census.enter(census.in_any, mix.any_width);
    census.enter(workspace, 1);
    std::this_thread::yield();
    --workspace;
    --census.in_any;
    --census.in_compute;
    --census.slots.at(slot);
    if (lose_compute) {
      ++lost;
    } else {
      lease.finish();
      ++computed;
    }
  };

  std::vector<std::thread> threads;
  for (uint32_t worker = 0; worker < kThreads; ++worker) {
    threads.emplace_back([&, worker] {
      for (uint32_t round = 0; round < kTicketsPerThread; ++round) partition(worker, round);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(census.violations, 0);
  EXPECT_EQ(computed, kThreads * kTicketsPerThread * 7 / 10);
  EXPECT_EQ(lost, kThreads * kTicketsPerThread * 3 / 10);

  if (mix.any_width > 2) return;
  std::vector<Event> held;
  for (const Event& event : services_.timeline().events()) {
    if (event.name == "in compute") held.push_back(event);
  }
  EXPECT_EQ(held.size(), kThreads * kTicketsPerThread * 8 / 10);
  for (size_t i = 1; i < held.size(); ++i) EXPECT_LE(held[i - 1].end_ns, held[i].begin_ns) << "the trace overlaps";
}

}  // namespace
}  // namespace cuzk
