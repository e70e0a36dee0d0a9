#pragma once
#include <cstdint>
#include <optional>

#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// Host memory of a strategy that is open on one device for one key: blocks of the engine's pool, in bytes. Mapped
/// files, and keys that were made in the process, stand outside.
struct HostPlan {
  // Of each worker, for as long as the strategy is open.
  uint64_t ring = 0;       ///< staging's
  uint64_t pinned = 0;     ///< for the calls of ntt and msm
  uint64_t workspace = 0;  ///< of components that run in host space
  uint64_t resident = 0;   ///< likewise
  uint64_t decoded = 0;    ///< one chunk of points that do not lie in the ABI's layout; 0: they do
  uint32_t chunks = 0;     ///< of those
  /// Most of one partition under way: its witness, a and b, and where the layout needs them c and selected scalars.
  uint64_t partition = 0;

  uint32_t workers = 1;
  uint32_t in_flight = 1;  ///< partitions under way at once

  uint64_t worker() const;  ///< all of a worker's, in whole pages
  uint64_t total() const { return workers * worker() + in_flight * partition; }
};

/// With as many partitions in flight as `limit` has room for, at most `wanted`, which is at least 1. Error
/// out_of_memory, with both figures, when not even one fits.
HostPlan plan_host_memory(const Strategy&, const Device&, const Layout&, const ProvingKey&, uint32_t wanted,
                          std::optional<uint64_t> limit);

}  // namespace cuzk
