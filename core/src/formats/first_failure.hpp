#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk::formats {

/// Looks for the least i < n that fails, on all threads; the answer does not depend on their number.
/// scan(begin, end) gives the least failing index of a range, or end. Ranges behind a known failure are skipped.
template <class Scan>
std::optional<uint64_t> first_failure(CpuPool& pool, uint64_t n, uint64_t grain, const Scan& scan) {
  std::atomic<uint64_t> least{n};
  pool.ranges(n, grain, [&](uint64_t begin, uint64_t end) {
    if (begin >= least.load(std::memory_order_relaxed)) return;
    const uint64_t found = scan(begin, end);
    if (found == end) return;
    uint64_t known = least.load(std::memory_order_relaxed);
    while (found < known && !least.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
    }
  });
  if (least == n) return std::nullopt;
  return least.load();
}

}  // namespace cuzk::formats
