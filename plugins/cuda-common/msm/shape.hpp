#pragma once
/// How one query is cut. Pure host code; no device is touched.

#include "digits.hpp"
#include "entry_steps.hpp"
#include "lengths.hpp"

#include <cstdint>
#include <span>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// Bytes of one affine point; throws sdk::Error for an unknown curve or group.
uint64_t affine_bytes(uint32_t curve, uint32_t group);
/// Bytes of one Xyzz.
inline uint64_t xyzz_bytes(uint32_t curve, uint32_t group) { return 2 * affine_bytes(curve, group); }

/// Length in bits of the largest |scalar|, (r - 1) / 2.
unsigned scalar_bits(uint32_t curve);
/// stride 0: without tables.
Recoding recoding(uint32_t curve, unsigned width, unsigned stride = 0);

/// Entries are made for the windows of a group at once, of as many bases as fill the memory, a piece; these are sorted
/// by bucket and added up, and the next piece or group follows in the same memory. Buckets stay until all points came.
struct Shape : Places {
  static constexpr unsigned kMinWidth = 4, kMaxWidth = 20;
  static constexpr unsigned kMaxWindows = 64;  ///< to a table, of any width and curve

  unsigned group;  ///< most windows of a group
  /// Most entries of a piece; below 2^31. At least those that a block of bases can make in the windows of a group.
  uint64_t entries;
  bool wide;            ///< groups of more windows than the entries of all points leave room for: see Shape::of()
  unsigned log2_block;  ///< bases that are counted together
  unsigned log2_range;  ///< buckets that one thread sums up in the reduction
  uint32_t units;       ///< multiprocessors
  uint64_t point_xyzz;  ///< bytes of a point's sum

  /// For the query's points and scalars of which nothing is known, with at most 2^log2_entries entries at once. wide:
  /// groups have as many windows as keep their buckets below 1/16 of the entries, for bases that come in chunks of
  /// which one window has too few.
  static Shape of(const cuzk_query& query, const Places& places, unsigned log2_entries, uint32_t units, bool wide);
  /// For the same points now that the lengths of their scalars are known, in no more of any part of the memory; digits
  /// are at most as wide.
  Shape narrowed(const Profile& profile) const;

  /// Whether the entries of all points fit at once, those of a group of windows at a time.
  bool in_one_piece(const Profile& profile) const;

  uint64_t window_buckets() const { return uint64_t{1} << (width - 1); }
  uint64_t buckets() const { return windows * window_buckets(); }
  uint64_t bucket_bytes() const { return buckets() * point_xyzz; }
  uint64_t group_buckets() const { return group * window_buckets(); }
  uint64_t window_ranges() const { return window_buckets() >> log2_range; }
  uint64_t ranges() const { return windows * window_ranges(); }
  /// Entries that one thread adds up, of so many.
  unsigned log2_run(uint64_t count) const;
  /// Partial sums of a piece of any number of entries.
  uint64_t partials() const;
  uint64_t blocks(uint64_t points) const { return (points + (uint64_t{1} << log2_block) - 1) >> log2_block; }
  WindowRange group_from(unsigned window) const {
    return {window, group < windows - window ? group : windows - window};
  }

 private:
  void set_log2_range();
  uint64_t run_threads() const;
};

/// What such scalars cost, in multiplications.
double cost_of(const Places& places, const Profile& profile);
/// The cut into digits of at most max_width that costs least.
Places cheapest_places(const Profile& profile, unsigned bits, unsigned stride, unsigned max_width);

/// All bases of a query that is in_one_piece().
Piece whole_piece(const Shape& shape, const Profile& profile, const EntryBound& bound, uint64_t points);
/// The next piece of bases [first, end), first < end: as many whole blocks, but for the range's ends, as the memory
/// holds the entries of. counts: [blocks of the query][kLengthClasses]. bound: of the windows.
Piece next_piece(const Shape& shape, std::span<const uint16_t> counts, const EntryBound& bound, uint64_t first,
                 uint64_t end);

}  // namespace cuzk::cuda
