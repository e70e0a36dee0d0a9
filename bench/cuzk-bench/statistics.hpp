#pragma once
#include <optional>
#include <span>
#include <vector>

namespace cuzk::bench {

/// Of at least one value.
double median(std::vector<double> values);

/// b / a of paired measurements: the geometric mean of the pairs' ratios, and where it lies with 95 % confidence. The
/// logarithms of the ratios are taken as normally distributed: mean +- t s / sqrt(n), with Student's t of n - 1 degrees
/// of freedom, so that few pairs give a wide interval. What drifts over time is in both sides of a pair and cancels.
struct Ratio {
  double value = 0;
  struct Interval {
    double low, high;
  };
  std::optional<Interval> interval;  ///< nothing of one pair

  /// "faster": b takes less than a with that confidence; "slower"; "no difference shown".
  const char* verdict() const;
};

/// a[i] and b[i] are of one pair: as many of both, at least one, all above 0.
Ratio paired_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace cuzk::bench
