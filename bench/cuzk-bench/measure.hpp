#pragma once
#include "side.hpp"
#include "subject.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/runtime/summary.hpp>

namespace cuzk::bench {

/// How one partition ended.
struct Made {
  std::string proof = {};               ///< JSON; empty: none was made
  std::optional<Error> error = {};      ///< then
  std::vector<std::string> failures{};  ///< of attempts before the one that succeeded
};

/// All partitions of all jobs, proved and verified once by one strategy.
struct Pass {
  std::vector<Made> made;                   ///< job by job
  double seconds = 0;                       ///< from the first submission to the last proof
  DeviceSummary device;                     ///< of all its devices, added up
  std::map<std::string, uint64_t> step_ns;  ///< by name: core's steps of all partitions, added up
  uint32_t vector_paths = 0, base_paths = 0;
  std::optional<Layout> layout;
  uint64_t high_water = 0;  ///< most device memory in use at once
  std::vector<Event> events;
  uint64_t begin_ns = 0;

  /// Of those that were made; 0 of none.
  double seconds_per_proof() const {
    const auto proofs = std::count_if(made.begin(), made.end(), [](const Made& one) { return !one.error; });
    return proofs == 0 ? 0 : seconds / static_cast<double>(proofs);
  }
};

struct How {
  uint32_t jobs = 1;
  uint32_t warm_up = 0;               ///< proofs before; 0: one for each that may be under way
  std::optional<uint64_t> seed = {};  ///< of r and s, plus the partition; nothing: random
};

/// Opens the side's strategy with nothing left of what was open before, proves for warm-up, which also loads the key,
/// then all partitions of all jobs, handed in together, with the clock running. Every proof is verified before it
/// counts, beside the others as in any run. What a partition throws is in its Made.
Pass measure(Subject&, const Side&, const How&);

/// Error: of the first partition that failed, or whose proof took a second attempt: then it is not this strategy that
/// was measured.
void require_all_made(const Side&, const Pass&);

/// Before the work whose figures the file takes. Error proof_failed: it cannot be written there. Empty: none is asked
/// for.
void require_writable(const std::string& path);

}  // namespace cuzk::bench
