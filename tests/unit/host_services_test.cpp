#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/lease.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

Event event(std::string name, uint64_t begin_ns, uint64_t end_ns) {
  Event made;
  made.name = std::move(name);
  made.begin_ns = begin_ns;
  made.end_ns = end_ns;
  return made;
}

TEST(Timeline, OrdersByBeginAndKeepsTies) {
  Timeline timeline;
  timeline.add(event("c", 30, 31));
  timeline.add(event("a", 10, 90));
  timeline.add(event("b1", 20, 25));
  timeline.add(event("b2", 20, 21));
  std::vector<std::string> names;
  for (const Event& e : timeline.events()) names.push_back(e.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b1", "b2", "c"}));
}

TEST(Timeline, SumsByName) {
  Timeline timeline;
  timeline.add(event("stage", 0, 5));
  timeline.add(event("compute", 5, 105));
  timeline.add(event("stage", 3, 10));
  EXPECT_EQ(timeline.total_ns("stage"), 12u);
  EXPECT_EQ(timeline.total_ns("compute"), 100u);
  EXPECT_EQ(timeline.total_ns("sta"), 0u);
}

TEST(Timeline, TakeGivesTheEventsAndForgetsThem) {
  Timeline timeline;
  timeline.add(event("b", 20, 25));
  timeline.add(event("a", 10, 15));
  const std::vector<Event> taken = timeline.take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].name, "a");
  EXPECT_EQ(taken[1].name, "b");
  EXPECT_TRUE(timeline.events().empty());
  EXPECT_EQ(timeline.total_ns("a"), 0u);
  timeline.add(event("c", 30, 31));
  EXPECT_EQ(timeline.take().size(), 1u);
}

TEST(Timeline, TakesEventsFromManyThreads) {
  Timeline timeline;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < 500; ++i) timeline.add(event("e", i, i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(timeline.events().size(), 2000u);
  EXPECT_EQ(timeline.total_ns("e"), 2000u);
}

TEST(HostServices, SpanTimesWithTheGivenClock) {
  const auto clock = std::make_shared<SimulatedClock>();
  clock->sleep_until(1000);
  HostServices services(1, {}, clock);
  {
    Span span(services, "stage", "cpu:0", 7, 2);
    span.add_bytes(40);
    span.add_bytes(2);
    clock->sleep_until(1500);
    clock->sleep_until(1200);
  }
  const std::vector<Event> events = services.timeline().events();
  ASSERT_EQ(events.size(), 1u);
  const Event& e = events.front();
  EXPECT_EQ(std::tie(e.name, e.device), std::make_tuple(std::string("stage"), std::string("cpu:0")));
  EXPECT_EQ(std::tie(e.ticket, e.worker, e.begin_ns, e.end_ns, e.bytes), std::make_tuple(7u, 2u, 1000u, 1500u, 42u));
}

TEST(HostServices, DefaultClockIsMonotonicNanoseconds) {
  const HostServices services(1);
  const uint64_t before = services.now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t passed = services.now_ns() - before;
  EXPECT_GE(passed, 5'000'000u);
  EXPECT_LT(passed, 50'000'000'000u);
}

TEST(HostServices, LogGoesToTheSink) {
  std::vector<std::tuple<LogLevel, std::string, std::string>> lines;
  const HostServices services(1, [&](LogLevel level, std::string_view component, std::string_view text) {
    lines.emplace_back(level, component, text);
  });
  services.log(LogLevel::warn, "cpu-reference", "hello");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines.front(), std::make_tuple(LogLevel::warn, "cpu-reference", "hello"));
  HostServices(1).log(LogLevel::error, "nobody", "listens");
}

TEST(HostServices, CancelAllReachesEveryTicket) {
  HostServices services(1);
  EXPECT_FALSE(services.cancelled(1));
  services.cancel_all();
  EXPECT_TRUE(services.cancelled(1));
  EXPECT_TRUE(services.cancelled(99));
}

TEST(HostServices, BringsThreadsAndMemory) {
  HostServices services(3);
  EXPECT_EQ(services.cpu().threads(), 3u);
  const FrVector v(services.memory(), 100, "v");
  EXPECT_GE(services.memory().held(), 3200u);
}

TEST(Lease, HostLeaseCarriesItsCallAndOtherMemoryOnRequest) {
  int data = 0;
  const cuzk_mem workspace{&data, sizeof data, {CUZK_SPACE_HOST, 0}};
  const Lease lease = Lease::for_host(5, 3, workspace);
  EXPECT_EQ(lease.phase(), Lease::Phase::host);
  EXPECT_EQ(lease.space().kind, static_cast<uint32_t>(CUZK_SPACE_HOST));
  EXPECT_EQ(lease.call().struct_size, sizeof(cuzk_call));
  EXPECT_EQ(lease.call().ticket, 5u);
  EXPECT_EQ(lease.call().worker, 3u);
  EXPECT_EQ(lease.call().workspace.data, &data);
  const Lease part = lease.with({&data, 2, {CUZK_SPACE_HOST, 0}}, {&data, 1, {CUZK_SPACE_HOST, 0}});
  EXPECT_EQ(part.call().workspace.bytes, 2u);
  EXPECT_EQ(part.call().pinned.bytes, 1u);
  EXPECT_EQ(part.call().ticket, 5u);
  EXPECT_EQ(lease.call().workspace.bytes, sizeof data);
}

TEST(HostServices, TicketsAreCancelledWithTheirJob) {
  const auto clock = std::make_shared<SimulatedClock>();
  HostServices services(1, {}, clock);
  ProofJob early(100), never;
  EXPECT_LT(early.number(), never.number());
  const uint64_t ticket = services.next_ticket(), other = services.next_ticket();
  EXPECT_LT(ticket, other);
  {
    const HostServices::Watch watch(services, ticket, &early), second(services, other, &never);
    EXPECT_FALSE(services.cancelled(ticket));
    clock->sleep_until(100);
    EXPECT_TRUE(services.cancelled(ticket)) << "late";
    EXPECT_FALSE(services.cancelled(other));
    never.cancel();
    EXPECT_TRUE(services.cancelled(other));
  }
  EXPECT_FALSE(services.cancelled(ticket));
  EXPECT_FALSE(services.cancelled(other));
  EXPECT_FALSE(services.job_cancelled(nullptr));
  services.cancel_all();
  EXPECT_TRUE(services.cancelled(ticket));
  EXPECT_TRUE(services.job_cancelled(nullptr));
}

TEST(HostServices, LongWorkOfItsCpuPoolStops) {
  HostServices services(3);
  services.cpu().stop_if_cancelled();
  std::atomic<uint32_t> begun{0};
  EXPECT_THROW(services.cpu().parallel(10000,
                                       [&](uint64_t) {
                                         if (++begun == 5) services.cancel_all();
                                         services.cpu().stop_if_cancelled();
                                       }),
               Error);
  EXPECT_LT(begun, 10000u);
}

}  // namespace
}  // namespace cuzk
