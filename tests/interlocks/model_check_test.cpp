// Deadlock, over-commitment and starvation, by trying everything: 3 and 4 workers, memory from the least that proves to
// three times that, up to two failures. Policies that are known to be wrong show that the check finds what it looks
// for.
#include "model.hpp"
#include "policies.hpp"

#include <gtest/gtest.h>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>

namespace cuzk::model {
namespace {

constexpr uint32_t kFailures = 2;
constexpr uint32_t kTenths[] = {10, 13, 22, 33};
/// Vectors larger than the workspace, smaller, and much larger.
constexpr std::pair<uint32_t, uint32_t> kShapes[] = {{60, 40}, {40, 60}, {90, 10}};

/// A policy of the plugin, asked as its table is asked.
template <class T>
class Policy : public LockPolicy {
 public:
  uint32_t stage_width() const override { return T::kStageWidth; }
  uint32_t compute_width() const override { return T::kComputeWidth; }
  uint32_t pick(const cuzk_lock_view& view) override { return T::pick(view); }
};

/// "Tickets are served in order", taken literally: compute only for the oldest of all.
struct StrictlyInOrder {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;
  static uint32_t pick(const cuzk_lock_view& view) {
    if (view.count != 0 && view.tickets[0].state == CUZK_WAIT_COMPUTE) return 0;
    const bool room = sdk::count_in(view, CUZK_IN_STAGE) == 0 && view.slots_free != 0;
    return room ? sdk::oldest(view, CUZK_WAIT_STAGE) : CUZK_NONE;
  }
};

/// The youngest first: whoever came early may wait for ever.
struct LastInFirstOut {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;
  static uint32_t pick(const cuzk_lock_view& view) {
    if (sdk::count_in(view, CUZK_IN_STAGE) + sdk::count_in(view, CUZK_IN_COMPUTE) != 0) return CUZK_NONE;
    const uint32_t staged = sdk::oldest(view, CUZK_WAIT_COMPUTE);
    if (staged != CUZK_NONE) return staged;
    for (uint32_t i = view.count; i-- > 0 && view.slots_free != 0;) {
      if (view.tickets[i].state == CUZK_WAIT_STAGE) return i;
    }
    return CUZK_NONE;
  }
};

/// Each phase reserves its own bytes of one pool as it begins: vectors at stage, which any number may be in, the
/// workspace at compute.
class ReserveByPhase : public LockPolicy {
 public:
  explicit ReserveByPhase(const Memory& memory)
      : memory_(memory), capacity_(memory.tenths * (memory.slot + memory.workspace) / 10) {}
  uint32_t stage_width() const override { return 0; }
  uint32_t compute_width() const override { return 1; }
  uint32_t pick(const cuzk_lock_view& view) override {
    const uint32_t computing = sdk::count_in(view, CUZK_IN_COMPUTE);
    const uint32_t holders = view.count - sdk::count_in(view, CUZK_WAIT_STAGE);
    const uint32_t left = capacity_ - holders * memory_.slot - computing * memory_.workspace;
    const uint32_t staged = sdk::oldest(view, CUZK_WAIT_COMPUTE), next = sdk::oldest(view, CUZK_WAIT_STAGE);
    if (staged != CUZK_NONE && computing == 0 && memory_.workspace <= left) return staged;
    return memory_.slot <= left ? next : CUZK_NONE;
  }
  Device device(uint32_t workers) {
    return {this, workers, workers, 0, memory_.slot, memory_.workspace, capacity_, false};
  }

 private:
  const Memory memory_;
  const uint32_t capacity_;
};

void print(const std::string& policy, uint32_t workers, const Memory& memory, const Findings& found) {
  std::cout << std::left << std::setw(18) << policy << workers << " workers, " << memory.tenths / 10 << "."
            << memory.tenths % 10 << " footprints of " << memory.slot << " + " << memory.workspace << ": "
            << found.states << " states, " << found.steps << " steps, " << found.most_inside << " inside; "
            << (found.sound() ? "sound" : found.example) << "\n";
}

/// Every number of workers, memory and shape; sums of what was found.
template <class Open>
Findings everywhere(const std::string& name, Open&& open) {
  Findings all;
  for (const uint32_t workers : {3u, 4u}) {
    for (const uint32_t tenths : kTenths) {
      for (const auto& [slot, workspace] : kShapes) {
        const Memory memory{tenths, slot, workspace};
        const Findings found = open(workers, memory);
        print(name, workers, memory, found);
        EXPECT_GT(found.states, 30u);
        all.states += found.states;
        all.steps += found.steps;
        all.stuck += found.stuck;
        all.out_of_slots += found.out_of_slots;
        all.out_of_workspace += found.out_of_workspace;
        all.misused += found.misused;
        all.over_committed += found.over_committed;
        all.overtaken += found.overtaken;
        all.not_alone += found.not_alone;
        all.most_inside = std::max(all.most_inside, found.most_inside);
        if (all.example.empty()) all.example = found.example;
      }
    }
  }
  std::cout << name << ": " << all.states << " states, " << all.steps << " steps; stuck " << all.stuck
            << ", out of memory " << all.out_of_slots << " + " << all.out_of_workspace << ", over-committed "
            << all.over_committed << ", overtaken " << all.overtaken << "\n";
  return all;
}

template <class T>
Findings everywhere(const std::string& name, bool books_late = false) {
  Policy<T> policy;
  return everywhere(name, [&](uint32_t workers, const Memory& memory) {
    return explore(opened(policy, books_late, workers, memory), kFailures);
  });
}

TEST(ModelCheck, SingleLockIsSound) {
  const Findings found = everywhere<interlocks::SingleLock>("single-lock");
  EXPECT_TRUE(found.sound()) << found.example;
  EXPECT_EQ(found.most_inside, 1u);
}

TEST(ModelCheck, TwoLockIsSound) {
  const Findings found = everywhere<interlocks::TwoLock>("two-lock");
  EXPECT_TRUE(found.sound()) << found.example;
  EXPECT_EQ(found.most_inside, 4u) << "staging runs ahead as far as slots go";
}

TEST(ModelCheck, NoneIsSound) {
  const Findings found = everywhere<interlocks::None>("none");
  EXPECT_TRUE(found.sound()) << found.example;
  EXPECT_EQ(found.most_inside, 4u);
}

/// Both halves of the historical failure, with a typed error: no slot for a newcomer, and a workspace that waiting
/// vectors lie in. Nothing else goes wrong: nobody gets stuck, no byte is promised twice.
TEST(ModelCheck, FindsThatTwoLockNaiveRunsOutOfMemory) {
  const Findings found = everywhere<interlocks::TwoLockNaive>("two-lock-naive", true);
  EXPECT_GT(found.out_of_slots, 0u);
  EXPECT_GT(found.out_of_workspace, 0u);
  EXPECT_EQ(found.stuck + found.misused + found.over_committed, 0u) << found.example;
}

TEST(ModelCheck, TwoLockNaiveHoldsWhereMemoryIsAmple) {
  Policy<interlocks::TwoLockNaive> policy;
  const Findings found = explore(opened(policy, true, 3, {40, 60, 40}), 0);
  EXPECT_TRUE(found.sound()) << found.example;
}

TEST(ModelCheck, FindsThatStrictOrderStalls) { EXPECT_GT(everywhere<StrictlyInOrder>("strictly in order").stuck, 0u); }

TEST(ModelCheck, FindsThatReservingByPhaseDeadlocks) {
  const Findings found = everywhere("reserve by phase", [](uint32_t workers, const Memory& memory) {
    ReserveByPhase policy(memory);
    return explore(policy.device(workers), kFailures);
  });
  EXPECT_GT(found.stuck, 0u);
  EXPECT_EQ(found.over_committed, 0u) << found.example;
}

TEST(ModelCheck, FindsStarvation) { EXPECT_GT(everywhere<LastInFirstOut>("last in, first out").overtaken, 0u); }

}  // namespace
}  // namespace cuzk::model
