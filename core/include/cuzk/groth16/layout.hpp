#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// Device memory of one strategy on one device for one key: keys | W workspaces | N slots, fixed while it is open.
/// Pure arithmetic over the components' plans: no device is touched.
struct Layout {
  // Bytes, by lifetime.
  uint64_t fixed = 0;      ///< twiddles, rings: once per device
  uint64_t workspace = 0;  ///< the most that one step needs: the quotient (c included) or a job (its chunk ring included)
  uint64_t slot = 0;       ///< a, b and the witness of one partition
  uint64_t key = 0;        ///< resident bases; 0 when streamed
  uint32_t workspaces = 1, slots = 1;

  bool c_late = false;         ///< c is made on the host and sent into b's memory
  uint64_t chunk_points = 0;   ///< most points of streamed bases in one chunk
  std::vector<std::string> savings;  ///< the savings taken, in order, for people

  // What the components answered.
  cuzk_plan staging{}, ntt{}, job_h{}, job_witness{};
  std::array<cuzk_plan, kQueries> bases{};

  uint64_t one_footprint() const { return fixed + workspace + slot; }
  uint64_t total() const { return fixed + key + workspaces * workspace + slots * slot; }
};

/// Savings are taken in DESIGN's order until the layout fits `capacity`.
/// Error out_of_memory, with the least that proves and the capacity, when even the smallest does not fit.
Layout plan_layout(const Strategy&, const Device&, const KeyShape&, uint64_t capacity);

}  // namespace cuzk
