#include "statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace cuzk::bench {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

const char* Ratio::verdict() const {
  if (interval && interval->high < 1) return "faster";
  if (interval && interval->low > 1) return "slower";
  return "no difference shown";
}

Ratio paired_ratio(std::span<const double> a, std::span<const double> b) {
  std::vector<double> logs;
  for (size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(b[i] / a[i]));
  const auto count = static_cast<double>(logs.size());
  double mean = 0, squares = 0;
  for (const double log : logs) mean += log / count;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  if (logs.size() < 2) return {std::exp(mean), std::nullopt};
  const double t = boost::math::quantile(boost::math::students_t(count - 1), 0.975);
  const double half = t * std::sqrt(squares / (count - 1) / count);
  return {std::exp(mean), Ratio::Interval{std::exp(mean - half), std::exp(mean + half)}};
}

}  // namespace cuzk::bench
