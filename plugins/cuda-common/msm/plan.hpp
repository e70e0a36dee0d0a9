#pragma once
/// How a job is cut and what memory that takes. Pure host code; no device is touched.

#include "shape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// What a plan decides for all queries of a job; stands in cuzk_plan.choice.
struct Budget {
  static constexpr unsigned kMinLog2Entries = 12, kMaxLog2Entries = 25;
  static_assert(kMaxLog2Entries < 31);

  unsigned max_width;
  unsigned log2_entries;  ///< most entries sorted at once
  uint32_t units;         ///< multiprocessors
  bool shared;            ///< entries are sorted once for all queries that have the same ones
  bool wide;              ///< of streamed queries: see Shape
  bool apart;             ///< each group of resident queries has buckets of its own

  static Budget from(const cuzk_plan& plan);  ///< sdk::Error for a plan that no Budget wrote
  void write(cuzk_plan& plan) const;

  /// Of scalars of which nothing is known.
  Shape shape(const cuzk_query& query) const;
  bool operator==(const Budget&) const = default;
};

/// Bytes that the sort of so many entries takes beside keys and values: a bound on cub's figure, which only a device
/// can give. The sort checks it.
constexpr uint64_t sort_scratch_bytes(uint64_t entries) { return entries / 2 + (uint64_t{1} << 16); }

/// Cuts a workspace into parts at multiples of 256 bytes; with a null base it only counts.
class Arena {
 public:
  explicit Arena(void* base = nullptr) : base_(static_cast<std::byte*>(base)) {}
  void* take(uint64_t bytes) {
    const uint64_t at = used_;
    used_ += (bytes + 255) / 256 * 256;
    return base_ == nullptr ? nullptr : base_ + at;
  }
  template <class T>
  T* take_array(uint64_t count) {
    return static_cast<T*>(take(count * sizeof(T)));
  }
  uint64_t used() const { return used_; }

 private:
  std::byte* base_;
  uint64_t used_ = 0;
};

/// The parts of a job's workspace. Those of one group of queries at a time are shared by all: streamed queries come one
/// after the other, and resident ones are run group after group.
struct Workspace {
  // of one group of queries at a time
  std::vector<std::byte*> buckets;  ///< each query's [windows][window_buckets], Xyzz; of other groups `apart` if asked
  void* partials;                   ///< Xyzz
  void* ranges;                     ///< [windows][window_ranges], Xyzz
  uint32_t *keys[2], *values[2];
  void* scratch;  ///< of the sort
  uint64_t scratch_bytes;
  uint32_t* starts;   ///< [group_buckets + 1]: first entry of each bucket
  uint32_t* crowded;  ///< [2 + group_buckets]: which buckets have many partial sums
  uint32_t* slots;    ///< [blocks + 1]: first slot of each of a piece's blocks
  // of the job
  void* sums;                      ///< windows of all queries, Xyzz; query q at sum_offset(q) bytes
  std::vector<uint32_t*> ranks;    ///< of each query's mask
  std::vector<uint16_t*> lengths;  ///< of each query: [blocks][kLengthClasses]
  uint32_t* totals;                ///< [queries][kLengthClasses]: those of all blocks
  uint64_t bytes;

  /// shapes: one a query, Budget's. shared, apart: see there.
  static Workspace lay_out(void* base, std::span<const cuzk_query> queries, std::span<const Shape> shapes, bool shared,
                           bool apart);
};

/// For each query the first one that has the same scalars: itself, or one before it.
std::vector<uint32_t> first_alike(std::span<const cuzk_query> queries);
/// Queries that have the same entries, those of the same scalars with resident bases and like tables, as b1 and b2 of
/// one key: lists of their numbers in ascending order. Not `shared`: each is alone.
std::vector<std::vector<uint32_t>> groups_of(std::span<const cuzk_query> queries, bool shared);

/// Where query q's window sums stand in Workspace::sums, in bytes; for q = queries.size() the size of all.
uint64_t sum_offset(std::span<const Shape> shapes, size_t q);

/// Of candidates with `cost` and `bytes`: the cheapest within the limit, else the smallest; and the bytes of that one.
/// A dearer candidate counts only where it takes less than all that are cheaper, so that a higher limit never makes a
/// smaller plan. At least one candidate.
template <class Candidates>
auto cheapest_within(Candidates& candidates, uint64_t limit) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  struct {
    const typename Candidates::value_type* best = nullptr;
    uint64_t least = UINT64_MAX;
  } out;
  for (const auto& one : candidates) {
    if (one.bytes >= out.least) continue;
    out.least = one.bytes;
    if (out.best == nullptr || out.best->bytes > limit) out.best = &one;
  }
  return out;
}

/// The plan of a job within the limit if that is possible, else the least.
cuzk_plan plan_msm(uint32_t units, std::span<const cuzk_query> queries, uint64_t limit);

}  // namespace cuzk::cuda
