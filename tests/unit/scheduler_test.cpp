#include "test_policies.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {
namespace {

using testing::none_policy;
using testing::single_policy;
using testing::TestPolicy;
using testing::two_policy;
using Event = Scheduler::Event;
using Phase = Lease::Phase;

std::vector<uint64_t> granted(const Scheduler::Outcome& outcome, Phase phase) {
  std::vector<uint64_t> tickets;
  for (const auto& grant : outcome.grants) {
    if (grant.phase == phase) tickets.push_back(grant.ticket);
  }
  return tickets;
}

using Tickets = std::vector<uint64_t>;

TEST(Scheduler, OneTicketGoesThroughItsPhases) {
  TestPolicy policy = single_policy();
  Scheduler scheduler(policy, "single", 1, 1);
  const uint64_t ticket = scheduler.draw_ticket(42, false);
  EXPECT_EQ(ticket, 1u);
  Scheduler::Outcome outcome = scheduler.on(ticket, Event::ready, 100);
  ASSERT_EQ(outcome.grants.size(), 1u);
  EXPECT_EQ(outcome.grants[0].ticket, ticket);
  EXPECT_EQ(outcome.grants[0].phase, Phase::stage);
  EXPECT_EQ(outcome.grants[0].slot, 0u);
  EXPECT_EQ(outcome.grants[0].workspace, CUZK_NONE);
  outcome = scheduler.on(ticket, Event::staged, 200);
  ASSERT_EQ(outcome.grants.size(), 1u);
  EXPECT_EQ(outcome.grants[0].phase, Phase::compute);
  EXPECT_EQ(outcome.grants[0].slot, 0u);
  EXPECT_EQ(outcome.grants[0].workspace, 0u);
  EXPECT_TRUE(scheduler.on(ticket, Event::computed, 300).grants.empty());
  EXPECT_EQ(scheduler.draw_ticket(42, false), 2u);
}

TEST(Scheduler, TicketOrderIsDrawOrderWhoeverIsReadyFirst) {
  TestPolicy policy = single_policy();
  Scheduler scheduler(policy, "single", 1, 4);
  const uint64_t a = scheduler.draw_ticket(0, false), b = scheduler.draw_ticket(0, false);
  const uint64_t c = scheduler.draw_ticket(0, false), d = scheduler.draw_ticket(0, false);
  EXPECT_EQ(granted(scheduler.on(d, Event::ready, 0), Phase::stage), Tickets{d}) << "only ready tickets take part";
  EXPECT_TRUE(scheduler.on(c, Event::ready, 0).grants.empty());
  EXPECT_TRUE(scheduler.on(a, Event::ready, 0).grants.empty());
  EXPECT_TRUE(scheduler.on(b, Event::ready, 0).grants.empty());
  EXPECT_EQ(granted(scheduler.on(d, Event::failed, 0), Phase::stage), Tickets{a});
  EXPECT_EQ(granted(scheduler.on(a, Event::failed, 0), Phase::stage), Tickets{b});
  EXPECT_EQ(granted(scheduler.on(b, Event::failed, 0), Phase::stage), Tickets{c});
}

TEST(Scheduler, WidthZeroMeansWorkers) {
  TestPolicy policy = none_policy();
  Scheduler scheduler(policy, "none", 5, 3);
  EXPECT_EQ(scheduler.workspaces(), 3u);
  TestPolicy narrow = two_policy();
  EXPECT_EQ(Scheduler(narrow, "two", 5, 3).workspaces(), 1u);
  for (int i = 0; i < 4; ++i) scheduler.draw_ticket(0, false);
  EXPECT_EQ(scheduler.on(1, Event::ready, 0).grants.size(), 1u);
  EXPECT_EQ(scheduler.on(2, Event::ready, 0).grants.size(), 1u);
  EXPECT_EQ(scheduler.on(3, Event::ready, 0).grants.size(), 1u);
  EXPECT_TRUE(scheduler.on(4, Event::ready, 0).grants.empty());
}

TEST(Scheduler, APickThatThrowsFailsTheOldestAndKeepsTheGrants) {
  int picks = 0;
  TestPolicy policy(0, 0, [&picks](const cuzk_lock_view& view) -> uint32_t {
    if (++picks == 3) throw std::runtime_error("at the third");
    return picks == 1 ? CUZK_NONE : testing::oldest_in(view, CUZK_WAIT_STAGE);
  });
  Scheduler scheduler(policy, "moody", 3, 3);
  for (int i = 0; i < 4; ++i) scheduler.draw_ticket(0, false);
  EXPECT_EQ(scheduler.on(1, Event::ready, 0).failures.size(), 1u);  // a stall
  const Scheduler::Outcome let_in = scheduler.on(2, Event::ready, 0);
  EXPECT_EQ(granted(let_in, Phase::stage), Tickets{2});
  const Scheduler::Outcome thrown = scheduler.on(3, Event::ready, 0);
  ASSERT_EQ(thrown.failures.size(), 1u);
  EXPECT_EQ(thrown.failures[0].ticket, 3u);
  EXPECT_EQ(thrown.failures[0].code, ErrorCode::internal);
  EXPECT_EQ(thrown.failures[0].message, "lock policy moody fails to pick: at the third; ticket 3 fails");
  EXPECT_EQ(granted(scheduler.on(4, Event::ready, 0), Phase::stage), Tickets{4});
}

TEST(Scheduler, SlotIsHeldFromStageUntilTheTicketIsGone) {
  TestPolicy policy = two_policy();
  Scheduler scheduler(policy, "two", 2, 3);
  for (uint64_t t = 1; t <= 3; ++t) scheduler.draw_ticket(0, false);
  EXPECT_EQ(scheduler.on(1, Event::ready, 0).grants.at(0).slot, 0u);
  scheduler.on(2, Event::ready, 0);
  scheduler.on(3, Event::ready, 0);
  Scheduler::Outcome outcome = scheduler.on(1, Event::staged, 0);
  EXPECT_EQ(granted(outcome, Phase::compute), Tickets{1});
  EXPECT_EQ(granted(outcome, Phase::stage), Tickets{2});
  EXPECT_EQ(outcome.grants.at(1).slot, 1u);
  outcome = scheduler.on(2, Event::staged, 0);
  EXPECT_TRUE(outcome.grants.empty()) << "compute is taken and both slots are held";
  outcome = scheduler.on(1, Event::computed, 0);
  EXPECT_EQ(granted(outcome, Phase::compute), Tickets{2});
  EXPECT_EQ(granted(outcome, Phase::stage), Tickets{3});
  EXPECT_EQ(outcome.grants.at(1).slot, 0u) << "the slot that became free";
  EXPECT_TRUE(scheduler.on(3, Event::failed, 0).grants.empty());
}

TEST(Scheduler, PolicySeesTicketsSlotsAndTimes) {
  std::vector<cuzk_ticket> seen;
  cuzk_lock_view last{};
  TestPolicy policy(1, 1, [&](const cuzk_lock_view& view) {
    last = view;
    seen.assign(view.tickets, view.tickets + view.count);
    return testing::pick_two(view);
  });
  Scheduler scheduler(policy, "watcher", 3, 2);
  const uint64_t a = scheduler.draw_ticket(7, false), b = scheduler.draw_ticket(8, true);
  scheduler.draw_ticket(9, false);  // never ready: never seen
  scheduler.on(a, Event::ready, 100);
  scheduler.on(b, Event::ready, 200);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(last.struct_size, sizeof(cuzk_lock_view));
  EXPECT_EQ(last.slots_total, 3u);
  EXPECT_EQ(last.slots_free, 2u);
  EXPECT_EQ(last.workers, 2u);
  EXPECT_EQ(seen[0].number, a);
  EXPECT_EQ(seen[0].job, 7u);
  EXPECT_EQ(seen[0].state, static_cast<uint32_t>(CUZK_IN_STAGE));
  EXPECT_EQ(seen[0].flags, 0u);
  EXPECT_EQ(seen[0].since_ns, 100u);
  EXPECT_EQ(seen[1].number, b);
  EXPECT_EQ(seen[1].state, static_cast<uint32_t>(CUZK_WAIT_STAGE));
  EXPECT_EQ(seen[1].flags, static_cast<uint32_t>(CUZK_TICKET_ALONE));
  EXPECT_EQ(seen[1].since_ns, 200u);
  const Scheduler::Outcome outcome = scheduler.on(a, Event::staged, 300);
  ASSERT_EQ(outcome.grants.size(), 2u);
  EXPECT_EQ(outcome.grants[0].since_ns, 300u);
  EXPECT_EQ(outcome.grants[1].ticket, b);
  EXPECT_EQ(outcome.grants[1].since_ns, 200u);
  EXPECT_EQ(outcome.grants[1].at_ns, 300u);
}

TEST(Scheduler, CancelledAndFailedRemoveATicketFromWhereverItIs) {
  TestPolicy policy = single_policy();
  Scheduler scheduler(policy, "single", 1, 3);
  for (int i = 0; i < 4; ++i) scheduler.draw_ticket(0, false);
  EXPECT_TRUE(scheduler.on(1, Event::cancelled, 0).grants.empty()) << "drawn, not ready";
  scheduler.on(2, Event::ready, 0);
  scheduler.on(3, Event::ready, 0);
  scheduler.on(4, Event::ready, 0);
  EXPECT_TRUE(scheduler.on(3, Event::cancelled, 0).grants.empty()) << "waiting";
  EXPECT_EQ(granted(scheduler.on(2, Event::cancelled, 0), Phase::stage), Tickets{4}) << "in stage";
  EXPECT_EQ(granted(scheduler.on(4, Event::staged, 0), Phase::compute), Tickets{4});
  EXPECT_TRUE(scheduler.on(4, Event::failed, 0).grants.empty()) << "in compute";
  EXPECT_TRUE(scheduler.on(4, Event::failed, 0).grants.empty()) << "gone already";
  EXPECT_TRUE(scheduler.on(77, Event::cancelled, 0).grants.empty()) << "never drawn";
}

TEST(Scheduler, EventsThatDoNotFitAreRefusedAndChangeNothing) {
  TestPolicy policy = single_policy();
  Scheduler scheduler(policy, "single", 1, 1);
  scheduler.draw_ticket(0, false);
  const auto refused = [&](uint64_t ticket, Event event) {
    try {
      scheduler.on(ticket, event, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::internal);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(1, Event::staged), "scheduler: event 'staged' does not fit the state of ticket 1");
  EXPECT_EQ(refused(2, Event::ready), "scheduler: event 'ready' does not fit the state of ticket 2");
  scheduler.on(1, Event::ready, 0);
  EXPECT_EQ(refused(1, Event::ready), "scheduler: event 'ready' does not fit the state of ticket 1");
  EXPECT_EQ(refused(1, Event::computed), "scheduler: event 'computed' does not fit the state of ticket 1");
  EXPECT_EQ(granted(scheduler.on(1, Event::staged, 0), Phase::compute), Tickets{1});
}

TEST(Scheduler, NeedsASlotAndAWorker) {
  TestPolicy policy = single_policy();
  EXPECT_THROW(Scheduler(policy, "single", 0, 1), Error);
  EXPECT_THROW(Scheduler(policy, "single", 1, 0), Error);
}

// ---- policies that misbehave ----

void expect_failure(const Scheduler::Outcome& outcome, size_t index, uint64_t ticket, ErrorCode code,
                    const std::string& message) {
  ASSERT_GT(outcome.failures.size(), index);
  EXPECT_EQ(outcome.failures[index].ticket, ticket);
  EXPECT_EQ(outcome.failures[index].code, code);
  EXPECT_EQ(outcome.failures[index].message, message);
}

TEST(MisbehavingPolicy, ThatNeverPicksFailsTheOldestWaiting) {
  TestPolicy policy(1, 1, [](const cuzk_lock_view&) { return CUZK_NONE; });
  Scheduler scheduler(policy, "lazy", 1, 2);
  scheduler.draw_ticket(0, false);
  const Scheduler::Outcome outcome = scheduler.on(1, Event::ready, 0);
  EXPECT_TRUE(outcome.grants.empty());
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 1, ErrorCode::internal,
                 "lock policy lazy stalls: nobody is in a phase and it lets no waiting ticket in; ticket 1 fails");
}

TEST(MisbehavingPolicy, StallIsBrokenAndTheRestGoesOn) {
  // "Served in order" read literally: compute only for the oldest of all tickets.
  TestPolicy policy(1, 1, [](const cuzk_lock_view& view) {
    if (view.tickets[0].state == CUZK_WAIT_COMPUTE) return 0u;
    const bool room = view.slots_free != 0 && testing::count_in(view, CUZK_IN_STAGE) == 0;
    return room ? testing::oldest_in(view, CUZK_WAIT_STAGE) : CUZK_NONE;
  });
  Scheduler scheduler(policy, "stubborn", 1, 2);
  scheduler.draw_ticket(0, false);
  scheduler.draw_ticket(0, false);
  EXPECT_EQ(granted(scheduler.on(2, Event::ready, 0), Phase::stage), Tickets{2});
  EXPECT_TRUE(scheduler.on(1, Event::ready, 0).failures.empty()) << "no stall while somebody is in a phase";
  const Scheduler::Outcome outcome = scheduler.on(2, Event::staged, 0);
  EXPECT_EQ(outcome.failures.size(), 1u);
  EXPECT_EQ(outcome.failures.at(0).ticket, 1u);
  EXPECT_EQ(granted(outcome, Phase::compute), Tickets{2});
}

TEST(MisbehavingPolicy, ThatPicksOutOfRangeFailsTheOldestWaiting) {
  TestPolicy policy(1, 1, [](const cuzk_lock_view& view) { return view.count + 4; });
  Scheduler scheduler(policy, "wild", 1, 2);
  scheduler.draw_ticket(0, false);
  const Scheduler::Outcome outcome = scheduler.on(1, Event::ready, 0);
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 1, ErrorCode::internal, "lock policy wild picks ticket at index 5 of 1; ticket 1 fails");
}

TEST(MisbehavingPolicy, ThatPicksARunningTicketFailsTheOldestWaiting) {
  TestPolicy policy(0, 0, [](const cuzk_lock_view&) { return 0u; });
  Scheduler scheduler(policy, "sticky", 3, 3);
  for (int i = 0; i < 3; ++i) scheduler.draw_ticket(0, false);
  EXPECT_EQ(granted(scheduler.on(1, Event::ready, 0), Phase::stage), Tickets{1});
  const Scheduler::Outcome outcome = scheduler.on(2, Event::ready, 0);
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 2, ErrorCode::internal,
                 "lock policy sticky picks ticket 1, which is in a phase already; ticket 2 fails");
  EXPECT_EQ(granted(scheduler.on(1, Event::staged, 0), Phase::compute), Tickets{1}) << "the running one goes on";
}

TEST(MisbehavingPolicy, ThatExceedsItsWidthFailsThePick) {
  TestPolicy policy(1, 1, [](const cuzk_lock_view& view) { return testing::oldest_in(view, CUZK_WAIT_STAGE); });
  Scheduler scheduler(policy, "greedy", 3, 3);
  for (int i = 0; i < 2; ++i) scheduler.draw_ticket(0, false);
  scheduler.on(1, Event::ready, 0);
  const Scheduler::Outcome outcome = scheduler.on(2, Event::ready, 0);
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 2, ErrorCode::internal,
                 "lock policy greedy picks ticket 2 for a phase that is full: its width is 1; ticket 2 fails");
}

TEST(MisbehavingPolicy, ThatIgnoresSlotsRunsOutOfMemory) {
  TestPolicy policy(0, 1, [](const cuzk_lock_view& view) { return testing::oldest_in(view, CUZK_WAIT_STAGE); });
  Scheduler scheduler(policy, "naive", 1, 3);
  for (int i = 0; i < 2; ++i) scheduler.draw_ticket(0, false);
  scheduler.on(1, Event::ready, 0);
  const Scheduler::Outcome outcome = scheduler.on(2, Event::ready, 0);
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 2, ErrorCode::out_of_memory,
                 "lock policy naive picks ticket 2 for stage while all 1 slots are held; ticket 2 fails");
}

TEST(MisbehavingPolicy, GrantsBesideAWrongPickAreKept) {
  bool wrong_next = false;
  TestPolicy policy(1, 1, [&](const cuzk_lock_view& view) {
    if (std::exchange(wrong_next, false)) return 99u;
    const uint32_t compute = testing::oldest_in(view, CUZK_WAIT_COMPUTE);
    wrong_next = compute != CUZK_NONE;
    return compute != CUZK_NONE ? compute : testing::pick_single(view);
  });
  Scheduler scheduler(policy, "flaky", 2, 3);
  for (uint64_t t = 1; t <= 3; ++t) scheduler.draw_ticket(0, false);
  for (uint64_t t = 1; t <= 3; ++t) scheduler.on(t, Event::ready, 0);
  const Scheduler::Outcome outcome = scheduler.on(1, Event::staged, 0);
  EXPECT_EQ(granted(outcome, Phase::compute), Tickets{1});
  EXPECT_EQ(outcome.failures.size(), 1u);
  expect_failure(outcome, 0, 2, ErrorCode::internal, "lock policy flaky picks ticket at index 99 of 3; ticket 2 fails");
  EXPECT_EQ(granted(scheduler.on(1, Event::computed, 0), Phase::stage), Tickets{3});
}

/// Two slots in the memory of the one workspace, beside one of its own.
TEST(Scheduler, LateSlotsAndTheirWorkspaceExcludeEachOther) {
  uint32_t wanted = CUZK_NONE;
  TestPolicy policy(0, 1, [&](const cuzk_lock_view& view) {
    EXPECT_LE(view.slots_free, 1u) << "late slots are not offered";
    return testing::oldest_in(view, wanted);
  });
  Scheduler scheduler(policy, "late", 1, 4, 2);
  for (int i = 0; i < 4; ++i) scheduler.draw_ticket(0, false);
  const auto ready = [&](uint64_t ticket) { return scheduler.on(ticket, Event::ready, 0); };
  wanted = CUZK_WAIT_STAGE;
  EXPECT_EQ(ready(1).grants.at(0).slot, 0u);
  EXPECT_EQ(ready(2).grants.at(0).slot, 1u);
  EXPECT_EQ(ready(3).grants.at(0).slot, 2u);
  Scheduler::Outcome outcome = ready(4);
  ASSERT_EQ(outcome.failures.size(), 1u);
  EXPECT_EQ(outcome.failures[0].code, ErrorCode::out_of_memory);
  EXPECT_NE(outcome.failures[0].message.find("for stage"), std::string::npos);

  wanted = CUZK_WAIT_COMPUTE;
  outcome = scheduler.on(1, Event::staged, 0);
  ASSERT_EQ(outcome.failures.size(), 1u) << "vectors of 2 and 3 lie in its workspace";
  EXPECT_EQ(outcome.failures[0].ticket, 1u);
  EXPECT_EQ(outcome.failures[0].code, ErrorCode::out_of_memory);
  EXPECT_NE(outcome.failures[0].message.find("for compute"), std::string::npos);

  scheduler.on(2, Event::failed, 0);
  scheduler.on(3, Event::failed, 0);
  for (int i = 0; i < 2; ++i) scheduler.draw_ticket(0, false);
  wanted = CUZK_WAIT_STAGE;
  EXPECT_EQ(ready(5).grants.at(0).slot, 0u);
  wanted = CUZK_WAIT_COMPUTE;
  EXPECT_EQ(scheduler.on(5, Event::staged, 0).grants.at(0).workspace, 0u);
  wanted = CUZK_WAIT_STAGE;
  outcome = ready(6);
  ASSERT_EQ(outcome.failures.size(), 1u) << "the workspace is in use";
  EXPECT_EQ(outcome.failures[0].code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace cuzk
