#pragma once
/// How an MSM is cut and what memory that takes. Pure host code; no device is touched.

#include "digits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// Bytes of one affine point; throws sdk::Error for an unknown curve or group.
uint64_t affine_bytes(uint32_t curve, uint32_t group);
/// Bytes of one Xyzz.
inline uint64_t xyzz_bytes(uint32_t curve, uint32_t group) { return 2 * affine_bytes(curve, group); }

/// Length in bits of the largest |scalar|, (r - 1) / 2.
unsigned scalar_bits(uint32_t curve);
Recoding recoding(uint32_t curve, unsigned width);

/// How one query is cut. A piece of its points is turned into entries for a group of windows at once; these are sorted
/// by bucket and added up, and the next group or piece follows in the same memory. Buckets stay until all points came.
struct Shape {
  static constexpr unsigned kMinWidth = 4, kMaxWidth = 20;

  unsigned width;       ///< bits of a digit
  unsigned windows;     ///< digits of a scalar
  uint64_t piece;       ///< most points of a piece; below 2^31
  unsigned group;       ///< most windows of a group
  unsigned log2_run;    ///< entries that one thread adds up
  unsigned log2_range;  ///< buckets that one thread sums up in the reduction
  uint64_t point_xyzz;  ///< bytes of a point's sum

  uint64_t window_buckets() const { return uint64_t{1} << (width - 1); }
  uint64_t buckets() const { return windows * window_buckets(); }
  uint64_t bucket_bytes() const { return buckets() * point_xyzz; }
  uint64_t group_buckets() const { return group * window_buckets(); }
  uint64_t entries() const { return piece * group; }
  uint64_t partials() const { return (entries() >> log2_run) + 1 + group_buckets(); }
  uint64_t window_ranges() const { return window_buckets() >> log2_range; }
};

/// The width that costs least for so many points.
unsigned best_width(uint64_t points, unsigned bits);

/// What a plan decides for all queries of a job; stands in cuzk_plan.choice.
struct Budget {
  static constexpr unsigned kMinLog2Entries = 12, kMaxLog2Entries = 25;
  static_assert(kMaxLog2Entries < 31, "the index of a base shares 32 bits with a sign");

  unsigned max_width;
  unsigned log2_entries;  ///< most entries sorted at once
  uint32_t units;         ///< multiprocessors
  bool shared;            ///< entries are sorted once for all queries that have the same ones

  static Budget from(const cuzk_plan& plan);  ///< sdk::Error for a plan that no Budget wrote
  void write(cuzk_plan& plan) const;

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
  void* buckets;   ///< each query's [windows][window_buckets], Xyzz; behind those of the group's queries before it
  void* partials;  ///< Xyzz
  void* ranges;    ///< [windows][window_ranges], Xyzz
  uint32_t *keys[2], *values[2];
  void* scratch;  ///< of the sort
  uint64_t scratch_bytes;
  uint32_t* starts;   ///< [group_buckets + 1]: first entry of each bucket
  uint32_t* crowded;  ///< [2 + group_buckets]: which buckets have many partial sums
  // of the job
  void* sums;       ///< windows of all queries, Xyzz; query q at sum_offset[q] bytes
  uint32_t* ranks;  ///< of all queries with masks; query q from rank_offset[q] on
  uint64_t bytes;

  /// shapes: one a query. shared: see Budget.
  static Workspace lay_out(void* base, std::span<const cuzk_query> queries, std::span<const Shape> shapes, bool shared);
};

/// Queries that have the same entries, those of the same scalars with resident bases, as b1 and b2 of one key: lists of
/// their numbers in ascending order. Not `shared`: each is alone.
std::vector<std::vector<uint32_t>> groups_of(std::span<const cuzk_query> queries, bool shared);

/// Where query q's window sums stand in Workspace::sums, in bytes; for q = queries.size() the size of all.
uint64_t sum_offset(std::span<const Shape> shapes, size_t q);
/// Where query q's ranks stand in Workspace::ranks; for q = queries.size() the number of all.
uint64_t rank_offset(std::span<const cuzk_query> queries, size_t q);

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
