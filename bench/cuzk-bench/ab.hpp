#pragma once
#include "measure.hpp"
#include "statistics.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cuzk::bench {

/// `cuzk-bench ab`: strategies on one workload, two by two, in alternating pairs. @return exit code
int ab(int argc, const char* const* argv);

/// One side with what was measured of it: one value a pair.
struct Measured {
  Side side;
  std::vector<double> seconds = {};    ///< a proof
  std::vector<double> device_ns = {};  ///< a partition
  std::vector<double> kernel_busy = {}, lock_held = {}, bytes_per_second = {};
  Pass last = {};  ///< the pass of the last pair

  void add(Pass);
};

/// Two sides; the options say what must hold.
struct Comparison {
  std::string name;
  bool device_time = false;       ///< what is judged: device time a partition, not seconds a proof
  std::optional<double> at_most;  ///< of the upper end of b / a
  std::array<Measured, 2> sides;  ///< a, b

  Ratio ratio(bool of_device_time) const;
  bool holds() const;  ///< true where nothing must
};

struct AbRun {
  std::string workload;
  uint32_t threads = 0, jobs = 1, pairs = 1;
  size_t partitions = 0;
  double circuit_seconds = 0, key_seconds = 0, witness_seconds = 0;  ///< of making these
  std::vector<Comparison> comparisons;                               ///< those that are done
};

/// docs/schema/cuzk-bench-ab-2.json
std::string ab_json(const AbRun&);
void print_comparison(const Comparison&);

}  // namespace cuzk::bench
