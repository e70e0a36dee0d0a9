#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk {
namespace {

TEST(JobQueue, RunsEveryJobOnceWithAnIdOfItsOwn) {
  JobQueue queue(4);
  std::mutex mutex;
  std::multiset<uint64_t> ids;
  std::vector<std::thread> callers;
  std::vector<std::vector<std::future<void>>> done(8);
  for (auto& mine : done) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        mine.push_back(queue.submit([&](uint64_t id) {
          const std::lock_guard lock(mutex);
          ids.insert(id);
        }));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (auto& mine : done) {
    for (auto& one : mine) one.get();
  }
  ASSERT_EQ(ids.size(), 800);
  uint64_t expected = 0;
  for (const uint64_t id : ids) EXPECT_EQ(id, ++expected);
}

TEST(JobQueue, OneWorkerKeepsTheOrder) {
  JobQueue queue(1);
  std::vector<int> order;
  std::vector<std::future<void>> done;
  for (int i = 0; i < 50; ++i) done.push_back(queue.submit([&order, i](uint64_t) { order.push_back(i); }));
  for (auto& one : done) one.get();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(JobQueue, AsManyAtOnceAsWorkersAndNoMore) {
  JobQueue queue(3);
  std::atomic<int> running{0}, most{0}, arrived{0};
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  std::vector<std::future<void>> done;
  for (int i = 0; i < 9; ++i) {
    done.push_back(queue.submit([&](uint64_t) {
      const int now = ++running;
      for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {
      }
      if (++arrived == 3) open.set_value();  // three at once get here; with fewer nobody would go on
      gate.wait();
      --running;
    }));
  }
  for (auto& one : done) one.get();
  EXPECT_EQ(most, 3);
}

TEST(JobQueue, AFailedJobHurtsNoOther) {
  JobQueue queue(2);
  auto bad = queue.submit([](uint64_t) { throw std::runtime_error("as planned"); });
  auto good = queue.submit([](uint64_t) {});
  EXPECT_THROW(bad.get(), std::runtime_error);
  EXPECT_NO_THROW(good.get());
}

TEST(JobQueue, WhatAJobHoldsIsGoneWhenItIsDone) {
  JobQueue queue(1);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  auto done = queue.submit([held = std::move(held)](uint64_t) {});
  done.get();
  EXPECT_TRUE(watch.expired());
}

TEST(JobQueue, DropsWhatHasNotBegunWhenItCloses) {
  std::promise<void> begun, open;
  std::future<void> first, second;
  std::thread closing;
  {
    auto queue = std::make_unique<JobQueue>(1);
    first = queue->submit([&](uint64_t) {
      begun.set_value();
      open.get_future().wait();
    });
    second = queue->submit([](uint64_t) { ADD_FAILURE() << "ran although it was dropped"; });
    begun.get_future().wait();
    closing = std::thread([queue = std::move(queue)]() mutable { queue.reset(); });
  }
  try {
    second.get();  // before the first is done
    FAIL() << "a dropped job has no result";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  open.set_value();
  closing.join();
  EXPECT_NO_THROW(first.get());
}

TEST(JobQueue, NeedsAWorker) { EXPECT_THROW(JobQueue(0), Error); }

}  // namespace
}  // namespace cuzk
