// The lock policies as loaded: exclusion, order, and that nobody waits for ever, over random runs of the scheduler.
#include "fixture.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <cuzk/lock_policy.hpp>
#include <cuzk/runtime/scheduler.hpp>

namespace cuzk::test {
namespace {

class Interlocks : public LoaderTest {
 protected:
  Interlocks() { registry->load(std::filesystem::path(CUZK_OUR_PLUGINS) / "cuzk-plugin-interlocks.so"); }

  std::unique_ptr<LockPolicy> policy(const char* name, uint32_t workers) {
    const auto component = registry->require("interlocks")->component(Role::lock, name);
    return std::dynamic_pointer_cast<const LockComponent>(component)->open(workers);
  }
};

/// Workers that draw tickets (some of them to be alone) and go through the phases at random; checks after every step.
struct Simulation {
  struct Ticket {
    bool alone;
    enum { drawn, waiting_stage, staging, waiting_compute, computing } state;
    uint64_t overtaken = 0;  ///< younger tickets that entered stage while it waited
  };

  Simulation(LockPolicy& policy, uint32_t slots, uint32_t workers, unsigned seed)
      : scheduler(policy, "policy", slots, workers), workers_(workers), random(seed) {}

  void step() {
    std::vector<uint64_t> movable;
    for (const auto& [number, ticket] : tickets) {
      if (ticket.state == Ticket::drawn || ticket.state == Ticket::staging || ticket.state == Ticket::computing) {
        movable.push_back(number);
      }
    }
    if (tickets.size() < workers_ && (movable.empty() || random() % 2 == 0) && !draining) {
      const bool alone = random() % 5 == 0;
      tickets[scheduler.draw_ticket(0, alone)] = {alone, Ticket::drawn};
      return;
    }
    ASSERT_FALSE(movable.empty()) << "everybody waits";
    const uint64_t number = movable[random() % movable.size()];
    Ticket& ticket = tickets.at(number);
    auto event = Scheduler::Event::failed;
    const bool fails = random() % 10 == 0;
    if (ticket.state == Ticket::drawn) {
      ticket.state = Ticket::waiting_stage;
      event = Scheduler::Event::ready;
    } else if (ticket.state == Ticket::staging && !fails) {
      ticket.state = Ticket::waiting_compute;
      event = Scheduler::Event::staged;
    } else {
      if (!fails) event = Scheduler::Event::computed;
      tickets.erase(number);
      ++done;
    }
    const Scheduler::Outcome outcome = scheduler.on(number, event, 0);
    ASSERT_TRUE(outcome.failures.empty());
    for (const Scheduler::Grant& grant : outcome.grants) enter(grant);
    check_alone();
  }
  void enter(const Scheduler::Grant& grant) {
    Ticket& ticket = tickets.at(grant.ticket);
    const bool stage = grant.phase == Lease::Phase::stage;
    ticket.state = stage ? Ticket::staging : Ticket::computing;
    for (auto& [number, other] : tickets) {
      if (stage && number < grant.ticket && other.state == Ticket::waiting_stage) ++other.overtaken;
      worst_overtaken = std::max(worst_overtaken, other.overtaken);
    }
  }
  size_t inside() const {
    return static_cast<size_t>(std::count_if(tickets.begin(), tickets.end(),
                                             [](const auto& entry) { return entry.second.state >= Ticket::staging; }));
  }
  void check_alone() const {
    for (const auto& [number, ticket] : tickets) {
      if (ticket.alone && ticket.state >= Ticket::staging) {
        ASSERT_EQ(inside(), 1u) << "ticket " << number << " is not alone";
      }
    }
  }

  Scheduler scheduler;
  uint32_t workers_;
  std::mt19937 random;
  std::map<uint64_t, Ticket> tickets;
  uint64_t done = 0, worst_overtaken = 0;
  bool draining = false;
};

class Policies : public Interlocks, public ::testing::WithParamInterface<const char*> {};

TEST_P(Policies, NobodyWaitsForEverAndAloneIsAlone) {
  for (uint32_t workers = 1; workers <= 4; ++workers) {
    for (uint32_t slots = 1; slots <= workers; ++slots) {
      const auto decides = policy(GetParam(), workers);
      Simulation run(*decides, slots, workers, workers * 10 + slots);
      size_t most_inside = 0;
      for (int i = 0; i < 5000; ++i) {
        run.step();
        if (HasFatalFailure()) return;
        most_inside = std::max(most_inside, run.inside());
      }
      run.draining = true;
      while (!run.tickets.empty()) {
        run.step();
        if (HasFatalFailure()) return;
      }
      EXPECT_GT(run.done, 500u);
      EXPECT_EQ(run.worst_overtaken, 0u);  // oldest first
      const bool single = std::string(GetParam()) == "single-lock";
      EXPECT_EQ(most_inside, single ? 1u : std::min(slots, workers));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Policies, ::testing::Values("none", "single-lock", "two-lock"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Interlocks, Widths) {
  for (const auto& [name, width] : {std::pair{"none", 0u}, {"single-lock", 1u}, {"two-lock", 1u}}) {
    EXPECT_EQ(policy(name, 4)->stage_width(), width) << name;
    EXPECT_EQ(policy(name, 4)->compute_width(), width) << name;
  }
}

TEST_F(Interlocks, OnlyTheNaiveOneBooksLateAndItSaysWhatItIs) {
  for (const auto& component : registry->require("interlocks")->components()) {
    const bool naive = component->info().name == "two-lock-naive";
    EXPECT_EQ(std::dynamic_pointer_cast<const LockComponent>(component)->books_late(), naive);
    EXPECT_EQ(component->info().summary.starts_with("EXPERIMENT"), naive);
  }
}

/// One ticket computes, the next stages beside it.
TEST_F(Interlocks, TwoLockStagesUnderCompute) {
  const auto decides = policy("two-lock", 2);
  Scheduler scheduler(*decides, "two-lock", 2, 2);
  for (const uint64_t ticket : {scheduler.draw_ticket(0, false), scheduler.draw_ticket(0, false)}) {
    scheduler.on(ticket, Scheduler::Event::ready, 0);
  }
  const Scheduler::Outcome outcome = scheduler.on(1, Scheduler::Event::staged, 0);
  ASSERT_EQ(outcome.grants.size(), 2u);
  EXPECT_EQ(outcome.grants[0].phase, Lease::Phase::compute);
  EXPECT_EQ(outcome.grants[1].phase, Lease::Phase::stage);
  EXPECT_EQ(outcome.grants[1].ticket, 2u);
}

}  // namespace
}  // namespace cuzk::test
