#include "fakes.hpp"

#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/layout.hpp>

namespace cuzk::testing {
namespace {

// 1000 variables, 9 public signals, domain 1024, BN254: points of 64 and 128 bytes. The double's NTT keeps 32 * 1024
// bytes resident and works in 1000 (1024 aligned); its MSM works in 512 to 4096.
KeyShape shape(bool masked = false) {
  KeyShape key;
  key.curve = Curve::bn254;
  key.variables = 1000;
  key.publics = 9;
  key.domain.curve = CUZK_BN254;
  key.domain.log2_size = 10;
  key.domain.h_basis = CUZK_H_COSET_LAGRANGE;
  const uint64_t b = masked ? 250 : 1000;
  key.queries = {{{1024, 0, 1024, false},
                  {990, 10, 990, false},
                  {1000, 0, 1000, false},
                  {b, 0, 1000, masked},
                  {b, 0, 1000, masked}}};
  return key;
}

constexpr uint64_t kVector = 1024 * 32;
constexpr uint64_t kWitness = 32000;  // a multiple of 256
constexpr uint64_t kAmple = uint64_t{1} << 40;

Layout plan(const FakeOptions& options, const KeyShape& key, uint64_t capacity) {
  const FakeEngine engine(options);
  return plan_layout(engine.strategy, *engine.device, key, 2, capacity, "key");
}

TEST(Layout, Ample) {
  const Layout layout = plan({}, shape(), kAmple);
  EXPECT_EQ(layout.fixed, kVector);
  EXPECT_EQ(layout.slot, 2 * kVector + kWitness);
  // b2's ring is the largest part: 1000 points of 128 bytes, adopted; the job works in 4096
  EXPECT_EQ(layout.workspace, 128000 + 4096);
  EXPECT_EQ(layout.workspace_allocated, kVector + 1024);  // c and the NTT's own; the ring is only booked
  EXPECT_EQ(layout.key, 0);
  EXPECT_EQ(layout.slots, 1);
  EXPECT_EQ(layout.workspaces, 1);
  EXPECT_EQ(layout.chunk_points, 1024);
  EXPECT_EQ(layout.chunks, 1);
  EXPECT_TRUE(layout.adopted);
  EXPECT_FALSE(layout.c_late);
  EXPECT_TRUE(layout.savings.empty());
  EXPECT_EQ(layout.total(), layout.one_footprint());
  ASSERT_EQ(layout.jobs.size(), 2);
  EXPECT_EQ(layout.jobs[0].queries, std::vector{QueryId::h});
  EXPECT_EQ(layout.jobs[1].queries, (std::vector{QueryId::l, QueryId::a, QueryId::b1, QueryId::b2}));
}

TEST(Layout, ARemoteDeviceHasTwoChunksAndAllocatesThem) {
  const Layout layout = plan({.device_kind = CUZK_SPACE_CUDA, .adopt = false}, shape(), kAmple);
  EXPECT_EQ(layout.chunks, 2);
  EXPECT_EQ(layout.workspace, 2 * 128000 + 4096);
  EXPECT_EQ(layout.workspace_allocated, layout.workspace);
}

TEST(Layout, EachWorkerHasItsSlotAndTwiddles) {
  const Layout exclusive = plan({.workers = 3}, shape(), kAmple);
  EXPECT_EQ(exclusive.fixed, 3 * kVector);
  EXPECT_EQ(exclusive.slots, 3);
  EXPECT_EQ(exclusive.workspaces, 1);
  const Layout free_for_all = plan({.workers = 3, .exclusive = false}, shape(), kAmple);
  EXPECT_EQ(free_for_all.workspaces, 3);
  EXPECT_EQ(free_for_all.total(), 3 * kVector + 3 * (128000 + 4096) + 3 * (2 * kVector + kWitness));
}

TEST(Layout, ComponentsOnTheHostTakeNothingOfTheDevice) {
  const Layout msm_on_host = plan({.msm_on_host = true}, shape(), kAmple);
  EXPECT_EQ(msm_on_host.slot, 2 * kVector);
  EXPECT_EQ(msm_on_host.workspace, kVector + 1024);
  const Layout ntt_on_host = plan({.ntt_on_host = true}, shape(), kAmple);
  EXPECT_EQ(ntt_on_host.fixed, 0);
  EXPECT_EQ(ntt_on_host.slot, kVector + kWitness);  // h and the witness
  EXPECT_EQ(plan({.ntt_on_host = true, .msm_on_host = true}, shape(), kAmple).total(), 0);
}

TEST(Layout, ComponentsOnTheHostArePlannedForThePoolsThreads) {
  const FakeEngine engine({.msm_on_host = true});
  const Layout layout = plan_layout(engine.strategy, *engine.device, shape(), 7, kAmple, "key");
  EXPECT_EQ(layout.jobs[0].plan.choice[0], 7);
  EXPECT_EQ(plan({}, shape(), kAmple).jobs[0].plan.choice[0], 2) << "the device's own units";
}

/// Jobs live until they are finished, after compute: what they allocate adds up over a partition's jobs and workers.
TEST(Layout, WhatJobsAllocateAddsUpOverJobsAndWorkers) {
  const FakeOptions together{.unmanaged = 1000, .workers = 3};  // h: 1000; l, a, b1, b2 in one job: 4000
  const Layout layout = plan(together, shape(), kAmple);
  EXPECT_EQ(layout.unmanaged, 1024 + 4096);
  EXPECT_EQ(layout.workspace, 128000 + 4096) << "not part of the workspaces, of which there is one";
  EXPECT_EQ(layout.total(), 3 * kVector + 128000 + 4096 + 3 * (2 * kVector + kWitness) + 3 * (1024 + 4096));
  EXPECT_EQ(plan({.many = false, .unmanaged = 1000}, shape(), kAmple).unmanaged, 5 * 1024);
  // chunk by chunk each job is finished before the next starts
  EXPECT_EQ(plan({.feed = false, .unmanaged = 1000}, shape(), kAmple).unmanaged, 1024);
  // but jobs over resident bases are not by chunk
  EXPECT_EQ(plan({.feed = false, .unmanaged = 1000, .resident = true}, shape(), kAmple).unmanaged, 5 * 1024);
  EXPECT_EQ(plan({.msm_on_host = true, .unmanaged = 1000}, shape(), kAmple).unmanaged, 0);
}

/// The jobs get smaller before slots or residency are given up.
TEST(Layout, JobsAreOfferedLessWhereWhatTheyAllocateDoesNotFit) {
  const FakeOptions options{.unmanaged = 100000, .workers = 2};
  const uint64_t without = plan({.workers = 2}, shape(), kAmple).total();
  const Layout layout = plan(options, shape(), without + 2 * 50000);
  EXPECT_TRUE(layout.savings.empty());
  EXPECT_LE(layout.total(), without + 2 * 50000);
  EXPECT_GT(layout.unmanaged, 25000);
  EXPECT_EQ(plan(options, shape(), without + 2 * 600000).unmanaged, 100096 + 400128);
}

TEST(Layout, MasksAreFixedOrCompactedAway) {
  const Layout masked = plan({}, shape(true), kAmple);
  EXPECT_EQ(masked.fixed, kVector + 256);  // one mask of 1000 bits for b1 and b2
  const Layout compacted = plan({.adopt = false, .select = false}, shape(true), kAmple);
  EXPECT_EQ(compacted.fixed, kVector);
  ASSERT_EQ(compacted.jobs.size(), 4);  // h; b1; b2; l and a
  EXPECT_TRUE(compacted.jobs[1].compacted);
  EXPECT_FALSE(compacted.jobs[3].compacted);
  EXPECT_EQ(compacted.jobs[3].queries, (std::vector{QueryId::l, QueryId::a}));
  // the ring, for h's 1024 points of 64 bytes; 250 scalars of b2, and 16 * 250 for its job
  EXPECT_EQ(compacted.ring, 65536);
  EXPECT_EQ(compacted.workspace, 65536 + 8192 + 4096);
}

TEST(Layout, SavingsComeInOrder) {
  FakeOptions options{.device_kind = CUZK_SPACE_CUDA, .adopt = false, .resident = true, .workers = 2};
  const uint64_t points = (1024 + 990 + 1000 + 1000) * 64 + 1000 * 128;
  const uint64_t slot = 2 * kVector + kWitness;
  const Layout ample = plan(options, shape(), kAmple);
  EXPECT_EQ(ample.key, 2 * points);
  EXPECT_EQ(ample.fixed, 2 * kVector);
  EXPECT_EQ(ample.workspace, 2 * 128000);  // loading b2; jobs need no ring
  const uint64_t resident = ample.fixed + ample.workspace + ample.key;
  const uint64_t plain = resident - points + 128;  // 990 points are 247.5 times 256 bytes

  const auto savings = [&](uint64_t capacity) { return plan(options, shape(), capacity).savings; };
  using Savings = std::vector<std::string>;
  EXPECT_EQ(savings(resident + 2 * slot), Savings{});
  EXPECT_EQ(savings(resident + 2 * slot - 1), Savings{"no tables"});
  EXPECT_EQ(savings(plain + 2 * slot), Savings{"no tables"});
  EXPECT_EQ(savings(plain + 2 * slot - 1), (Savings{"no tables", "1 of 2 slots"}));
  EXPECT_EQ(savings(plain + slot - 1), (Savings{"1 of 2 slots", "bases streamed"}));
  // streamed: the ring of two chunks and a job that gets by with 512
  const uint64_t streamed = 2 * kVector + slot + 2 * 128000 + 512;
  EXPECT_EQ(savings(streamed), (Savings{"1 of 2 slots", "bases streamed", "chunks of 512 points"}));
  EXPECT_EQ(savings(streamed + 4096), (Savings{"1 of 2 slots", "bases streamed"}));
  // c alone saves nothing here: the workspace is the ring's
  EXPECT_EQ(savings(streamed - 1), (Savings{"1 of 2 slots", "bases streamed", "c late", "witness late"}));
  const uint64_t late = streamed - kWitness;
  EXPECT_EQ(savings(late),
            (Savings{"1 of 2 slots", "bases streamed", "c late", "witness late", "chunks of 512 points"}));
  EXPECT_EQ(savings(late - 1),
            (Savings{"1 of 2 slots", "bases streamed", "c late", "witness late", "chunks of 512 points"}));
  // The workspace is the ring of 64 points a chunk and 512; the NTT's 1024 are less.
  const uint64_t least = 2 * kVector + slot - kWitness + 2 * 64 * 128 + 512;
  EXPECT_EQ(savings(least),
            (Savings{"1 of 2 slots", "bases streamed", "c late", "witness late", "chunks of 64 points"}));
  EXPECT_THROW(savings(least - 1), Error);
}

/// Chunks get smaller until jobs have three quarters of the workspace or all that they ask for.
TEST(Layout, TheRingLeavesJobsTheirPart) {
  const FakeOptions options{.device_kind = CUZK_SPACE_CUDA, .adopt = false};
  const Layout ample = plan(options, shape(), kAmple);
  const uint64_t least = least_footprint(FakeEngine(options).strategy, *FakeEngine(options).device, shape(), 2);
  uint64_t before = 0;
  for (uint64_t capacity = least; capacity <= ample.total(); capacity += 500) {
    const Layout layout = plan(options, shape(), capacity);
    EXPECT_LE(layout.total(), capacity);
    const uint64_t room = capacity - layout.fixed - layout.slots * layout.slot;
    const uint64_t ring = 2 * layout.chunk_points * 128, job = layout.jobs.back().plan.workspace;
    EXPECT_TRUE(job == 4096 || ring <= room / 4 || layout.chunk_points == 64) << capacity;
    EXPECT_GE(job, before) << capacity;
    before = job;
  }
  EXPECT_EQ(before, 4096);
}

/// More variables than rows: the place of b is as large as the witness.
TEST(Layout, ALateWitnessFitsWhereBWas) {
  KeyShape wide = shape();
  wide.variables = 5000;
  const Layout ample = plan({}, wide, kAmple), least = plan({}, wide, ample.total() - kVector);
  EXPECT_FALSE(ample.w_late);
  EXPECT_EQ(ample.slot, 2 * kVector + 5000 * 32);
  EXPECT_TRUE(least.w_late);
  EXPECT_EQ(least.slot, ample.slot - kVector);
}

TEST(Layout, AStrategyThatStreamsKeepsNoBases) {
  FakeOptions options{.device_kind = CUZK_SPACE_CUDA, .adopt = false, .resident = true};
  FakeEngine engine(options);
  engine.strategy.stream_bases = true;
  const Layout layout = plan_layout(engine.strategy, *engine.device, shape(), 2, kAmple, "key");
  EXPECT_EQ(layout.key, 0);
  EXPECT_TRUE(layout.savings.empty());
}

TEST(Layout, TheErrorNamesTheLeastAndTheCapacity) {
  try {
    plan({}, shape(), 5000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    // 32768 twiddles + 65536 slot + 64 points of 128 bytes and 512
    EXPECT_STREQ(
        error.what(),
        "cpu:0: key needs at least 104.5 KiB (107008 bytes), 4.9 KiB (5000 bytes) available (--device-memory)");
  }
  EXPECT_EQ(plan({}, shape(), 107008).total(), 107008);
  const FakeEngine engine({});
  EXPECT_EQ(least_footprint(engine.strategy, *engine.device, shape(), 2), 107008);
}

}  // namespace
}  // namespace cuzk::testing
