#pragma once
#include <cuzk/runtime/host_pool.hpp>
#include <cuzk/staging.hpp>

namespace cuzk::groth16 {

/// The ring for an instance whose plan says `bytes`. Empty where the component wants it page-locked and that cannot be.
inline HostBlock staging_ring(HostPool& pool, const StagingComponent& staging, uint64_t bytes) {
  HostBlock ring(pool, bytes, "staging's ring");
  if (staging.wants_pinned() && !pool.pinned({ring.data(), bytes})) return {};
  return ring;
}

}  // namespace cuzk::groth16
