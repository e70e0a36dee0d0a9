#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/summary.hpp>
#include <cuzk/runtime/trace.hpp>

namespace cuzk {
namespace {

Event event(const std::string& name, uint64_t begin, uint64_t end, uint32_t kind = CUZK_SPAN_CPU, uint64_t bytes = 0,
            const std::string& device = "cpu:0", uint32_t worker = 0) {
  return {name, device, kind, 1, worker, begin, end, bytes};
}

DeviceSummary only(const std::vector<Event>& events) {
  const std::vector<DeviceSummary> all = summarise(events);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

TEST(Summary, NothingOfNothing) {
  EXPECT_TRUE(summarise({}).empty());
  EXPECT_TRUE(summarise(std::vector{event("evaluate", 0, 5, CUZK_SPAN_CPU, 0, "")}).empty());
  const DeviceSummary idle = only({event("wait stage", 0, 5)});
  EXPECT_EQ(idle.window_ns, 0u);
  EXPECT_EQ(idle.kernel_busy(), 0);
  EXPECT_EQ(idle.bytes_per_second(), 0);
  EXPECT_EQ(idle.lock_wait_ns, 5u);
}

/// Kernels at 10-30 and 20-40 overlap: 30 of the 50 to 60 are busy. What follows the first compute counts alone.
TEST(Summary, UnionOfKernelsAfterWarmUp) {
  const std::vector<Event> one{event("k", 10, 30, CUZK_SPAN_KERNEL), event("k", 20, 40, CUZK_SPAN_KERNEL),
                               event("k", 50, 60, CUZK_SPAN_KERNEL), event("in compute", 5, 60)};
  DeviceSummary summary = only(one);
  EXPECT_EQ(summary.window_ns, 50u);
  EXPECT_EQ(summary.kernel_ns, 40u);
  EXPECT_EQ(summary.lock_held_ns, 50u);
  EXPECT_EQ(summary.partitions, 1u);
  EXPECT_FALSE(summary.from_steps);

  std::vector<Event> two = one;
  two.push_back(event("in stage", 60, 100));
  two.push_back(event("k", 100, 140, CUZK_SPAN_KERNEL));
  two.push_back(event("k", 190, 200, CUZK_SPAN_KERNEL));
  two.push_back(event("in compute", 100, 170));
  summary = only(two);
  EXPECT_EQ(summary.partitions, 2u);
  EXPECT_EQ(summary.window_ns, 100u) << "from the first kernel after 60 to 200";
  EXPECT_EQ(summary.kernel_ns, 50u);
  EXPECT_EQ(summary.lock_held_ns, 70u);
}

TEST(Summary, KernelsThatTakeNoTime) {
  EXPECT_EQ(only({event("k", 10, 10, CUZK_SPAN_KERNEL), event("in compute", 5, 10)}).window_ns, 0u);
  const DeviceSummary after = only({event("k", 0, 10, CUZK_SPAN_KERNEL), event("in compute", 0, 10),
                                    event("k", 20, 20, CUZK_SPAN_KERNEL), event("in compute", 20, 20)});
  EXPECT_EQ(after.partitions, 2u);
  EXPECT_EQ(after.window_ns, 0u);
  EXPECT_EQ(after.kernel_busy(), 0);
}

TEST(Summary, UploadsAndWhatOfThemRanUnderKernels) {
  const DeviceSummary summary = only({event("up", 0, 20, CUZK_SPAN_H2D, 200), event("up", 15, 40, CUZK_SPAN_H2D, 200),
                                      event("k", 30, 60, CUZK_SPAN_KERNEL)});
  EXPECT_EQ(summary.uploaded_bytes, 400u);
  EXPECT_EQ(summary.upload_ns, 40u);
  EXPECT_EQ(summary.overlapped_ns, 10u);
  EXPECT_DOUBLE_EQ(summary.bytes_per_second(), 1e10);
}

/// A device that reports nothing itself: core's steps stand for its kernels, and loading a key is no partition.
TEST(Summary, StepsStandForKernels) {
  const DeviceSummary summary =
      only({event("load key", 0, 10), event("in compute", 2, 9), event("stage", 10, 20, CUZK_SPAN_CPU, 64),
            event("quotient", 20, 30), event("msm h", 30, 40, CUZK_SPAN_CPU, 36), event("in compute", 20, 41)});
  EXPECT_TRUE(summary.from_steps);
  EXPECT_EQ(summary.partitions, 1u);
  EXPECT_EQ(summary.kernel_ns, 20u);
  EXPECT_EQ(summary.window_ns, 20u);
  EXPECT_EQ(summary.uploaded_bytes, 100u);
}

TEST(Summary, DevicesApart) {
  const auto all = summarise(std::vector{event("k", 0, 10, CUZK_SPAN_KERNEL), event("in compute", 0, 10),
                                         event("k", 5, 25, CUZK_SPAN_KERNEL, 0, "cpu:1")});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].device, "cpu:0");
  EXPECT_EQ(all[0].kernel_ns, 10u);
  EXPECT_EQ(all[1].kernel_ns, 20u);
  EXPECT_EQ(all[1].partitions, 0u);
}

TEST(Summary, PercentilesByNearestRank) {
  EXPECT_EQ(percentile({}, 0.5), 0u);
  EXPECT_EQ(percentile({7}, 0.95), 7u);
  EXPECT_EQ(percentile({3, 1, 2}, 0.5), 2u);
  EXPECT_EQ(percentile({4, 3, 2, 1}, 0.5), 2u);
  EXPECT_EQ(percentile({4, 3, 2, 1}, 0.95), 4u);
}

/// What is nested shares a track; what overlaps otherwise gets one of its own; kinds and workers are apart.
TEST(Trace, TracksHoldNoOverlap) {
  const std::vector<Event> events{event("evaluate", 100, 150, CUZK_SPAN_CPU, 0, ""),
                                  event("in stage", 150, 200),
                                  event("stage", 160, 190),
                                  event("in compute", 195, 300),
                                  event("k", 195, 250, CUZK_SPAN_KERNEL),
                                  event("in compute", 300, 400),
                                  event("in stage", 350, 360, CUZK_SPAN_CPU, 8, "cpu:0", 1)};
  const auto trace = nlohmann::json::parse(chrome_trace(events, 100));
  EXPECT_EQ(trace["otherData"]["schema"], "cuzk-timeline/1");
  std::vector<nlohmann::json> spans;
  std::map<std::pair<int, int>, std::string> names;
  for (const auto& entry : trace["traceEvents"]) {
    if (entry["ph"] == "X") spans.push_back(entry);
    if (entry["name"] == "thread_name") names[{entry["pid"], entry["tid"]}] = entry["args"]["name"];
  }
  ASSERT_EQ(spans.size(), events.size());
  const auto track = [&](size_t i) { return std::pair<int, int>(spans[i]["pid"], spans[i]["tid"]); };
  EXPECT_EQ(spans[0]["ts"], 0);
  EXPECT_EQ(spans[0]["dur"], 0.05);
  EXPECT_EQ(spans[0]["pid"], 0);
  EXPECT_EQ(spans[1]["pid"], 1);
  EXPECT_EQ(track(1), track(2));
  EXPECT_NE(track(3), track(1)) << "begins before that ends";
  EXPECT_EQ(track(5), track(1));
  EXPECT_EQ(names[track(4)], "worker 0, kernels");
  EXPECT_EQ(names[track(6)], "worker 1");
  EXPECT_EQ(spans[6]["args"]["bytes"], 8);
}

/// A plugin reports of its work the ticket alone; core's own events say which worker has it.
TEST(Trace, SpansOfADeviceStandWithTheirTicketsWorker) {
  const std::vector<Event> events{{"in compute", "cpu:0", CUZK_SPAN_CPU, 8, 3, 0, 100, 0},
                                  {"k", "cpu:0", CUZK_SPAN_KERNEL, 8, 0, 10, 90, 0},
                                  {"k", "cpu:0", CUZK_SPAN_KERNEL, 9, 1, 10, 90, 0}};
  std::vector<std::string> names;
  const auto trace = nlohmann::json::parse(chrome_trace(events, 0));
  for (const auto& entry : trace["traceEvents"]) {
    if (entry["name"] == "thread_name") names.push_back(entry["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"worker 1, kernels", "worker 3", "worker 3, kernels"}));
}

TEST(Trace, NamesOfAnyBytes) {
  const auto trace = nlohmann::json::parse(chrome_trace(std::vector{event("\"\\\n\xff", 0, 1)}, 0));
  EXPECT_EQ(trace["traceEvents"].size(), 1u + 2u + 2u + 2u);
}

}  // namespace
}  // namespace cuzk
