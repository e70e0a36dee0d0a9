#include "cuzk-bench/statistics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace cuzk::bench {
namespace {

TEST(Statistics, Median) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Statistics, OnePairHasNoInterval) {
  const Ratio ratio = paired_ratio(std::vector{2.0}, std::vector{1.0});
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_FALSE(ratio.interval);
  EXPECT_STREQ(ratio.verdict(), "no difference shown");
}

/// Quantiles of Student's t at 0.975 from printed tables; logs of the ratios are 0.2 +- what has a deviation of 0.1.
TEST(Statistics, IntervalsOfStudentsT) {
  const auto interval = [](const std::vector<double>& logs) {
    std::vector<double> a, b;
    for (size_t i = 0; i < logs.size(); ++i) {
      a.push_back(static_cast<double>(i + 1));  // what drifts in both sides
      b.push_back(static_cast<double>(i + 1) * std::exp(logs[i]));
    }
    return paired_ratio(a, b);
  };
  struct Known {
    size_t pairs;
    double t;
  };
  for (const auto& [pairs, t] :
       {Known{2, 12.7062}, Known{3, 4.30265}, Known{5, 2.77645}, Known{15, 2.14479}, Known{31, 2.04227}}) {
    SCOPED_TRACE(pairs);
    std::vector<double> logs;
    const double middle = static_cast<double>(pairs - 1) / 2;
    double squares = 0;
    for (size_t i = 0; i < pairs; ++i) squares += std::pow(static_cast<double>(i) - middle, 2);
    const double unit = 0.1 / std::sqrt(squares / static_cast<double>(pairs - 1));
    for (size_t i = 0; i < pairs; ++i) logs.push_back(0.2 + unit * (static_cast<double>(i) - middle));
    const Ratio ratio = interval(logs);
    const double half = t * 0.1 / std::sqrt(static_cast<double>(pairs));
    EXPECT_NEAR(ratio.value, std::exp(0.2), 1e-12);
    ASSERT_TRUE(ratio.interval);
    EXPECT_NEAR(std::log(ratio.interval->low), 0.2 - half, 1e-5);
    EXPECT_NEAR(std::log(ratio.interval->high), 0.2 + half, 1e-5);
  }
}

TEST(Statistics, VerdictsAreOfB) {
  EXPECT_STREQ(paired_ratio(std::vector{2.0, 2.0, 2.1}, std::vector{1.0, 1.01, 1.0}).verdict(), "faster");
  EXPECT_STREQ(paired_ratio(std::vector{1.0, 1.01, 1.0}, std::vector{2.0, 2.0, 2.1}).verdict(), "slower");
  EXPECT_STREQ(paired_ratio(std::vector{1.0, 2.0, 1.0}, std::vector{2.0, 1.0, 1.1}).verdict(), "no difference shown");
}

/// The interval holds the true ratio in 95 of 100 experiments, also of few pairs.
TEST(Statistics, CoversAsOftenAsItSays) {
  uint64_t state = 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state >> 11) + 0.5) / 9007199254740992.0;
  };
  const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); };
  for (const size_t pairs : {3, 5}) {
    int covered = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<double> a, b;
      for (size_t i = 0; i < pairs; ++i) {
        const double drift = std::exp(normal());
        a.push_back(drift);
        b.push_back(0.8 * drift * std::exp(0.05 * normal()));
      }
      const auto interval = *paired_ratio(a, b).interval;
      covered += interval.low <= 0.8 && 0.8 <= interval.high ? 1 : 0;
    }
    EXPECT_NEAR(covered / 4000.0, 0.95, 0.015) << pairs << " pairs";
  }
}

}  // namespace
}  // namespace cuzk::bench
