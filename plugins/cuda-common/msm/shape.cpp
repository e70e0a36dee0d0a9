#include "shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

#include <cuzk/arith/fields.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

template <class Body>
decltype(auto) with_scalars(uint32_t curve, Body&& body) {
  if (curve == CUZK_BN254) return body.template operator()<arith::Bn254Fr>();
  if (curve == CUZK_BLS12_381) return body.template operator()<arith::Bls12381Fr>();
  bad("curve " + std::to_string(curve) + ", expected 1 (bn254) or 2 (bls12-381)");
}

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }
constexpr unsigned log2_of(uint64_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

/// The most entries of each window: those of EntryBound, for all windows at once.
std::array<uint64_t, Shape::kMaxWindows> entries_by_window(const Places& places, const Profile& profile) {
  std::array<uint64_t, Shape::kMaxWindows> entries{};
  for (unsigned c = 1; c < kLengthClasses; ++c) {
    if (profile[c] == 0) continue;
    const unsigned digits = places.reached(c), rest = digits % places.windows;
    for (unsigned w = 0; w < places.windows; ++w) entries[w] += profile[c] * (digits / places.windows + (w < rest));
  }
  return entries;
}

/// The most entries of a group of so many windows.
uint64_t most_entries(const std::array<uint64_t, Shape::kMaxWindows>& by_window, unsigned windows, unsigned group) {
  uint64_t most = 0;
  for (unsigned first = 0; first < windows; first += group) {
    const auto* begin = by_window.data() + first;
    most = std::max(most, std::accumulate(begin, begin + std::min(group, windows - first), uint64_t{0}));
  }
  return most;
}

/// Windows of a group where there are as few groups as `most` allows.
unsigned even_group(unsigned windows, unsigned most) { return ceil_div(windows, ceil_div(windows, most)); }

/// The windows of a group, and the most entries of a group: as many windows as that is within `entries`, in as few
/// groups as this and `most` allow.
struct Grouping {
  unsigned group;
  uint64_t entries;
};
Grouping group_windows(const Places& places, const Profile& profile, uint64_t entries, unsigned most) {
  const auto by_window = entries_by_window(places, profile);
  const unsigned windows = places.windows;
  const uint64_t fullest = *std::max_element(by_window.begin(), by_window.end());
  for (unsigned groups = fullest > entries ? windows : ceil_div(windows, most);; ++groups) {
    const unsigned group = ceil_div(windows, groups);
    const Grouping grouping{group, most_entries(by_window, windows, group)};
    if (grouping.group == 1 || grouping.entries <= entries) return grouping;
  }
}

constexpr unsigned kLog2MaxDigits = 7;  // of a scalar

/// So that there are about 2^13 blocks, which fill the device and take little memory, and one has at most 2^15 bases,
/// at least those of a warp, and no more entries than are sorted at once.
unsigned log2_block_of(uint64_t points, unsigned log2_entries) {
  constexpr unsigned kLog2Blocks = 13, kLeast = 5, kMost = 15;
  const unsigned even = points == 0 ? 0 : static_cast<unsigned>(std::bit_width((points - 1) >> kLog2Blocks));
  return std::min({std::max(even, kLeast), kMost, log2_entries - kLog2MaxDigits});
}

}  // namespace

uint64_t affine_bytes(uint32_t curve, uint32_t group) {
  if (group != CUZK_G1 && group != CUZK_G2) bad("group " + std::to_string(group) + ", expected 1 (G1) or 2 (G2)");
  const uint64_t coordinate =
      with_scalars(curve, [curve]<class>() { return uint64_t{curve == CUZK_BN254 ? 32U : 48U}; });
  return coordinate * (group == CUZK_G1 ? 2 : 4);
}

unsigned scalar_bits(uint32_t curve) {
  return with_scalars(curve, []<class Fr>() { return static_cast<unsigned>(Fr::kBits - 1); });
}

Recoding recoding(uint32_t curve, unsigned width, unsigned stride) {
  return with_scalars(curve, [width, stride]<class Fr>() {
    static_assert(Fr::kLimbs == kScalarLimbs);
    static_assert((Fr::kBits - 1) / Shape::kMinWidth + 1 <= Shape::kMaxWindows);
    static_assert(Fr::kBits - 1 <= 16 * (kLengthClasses - 2));
    const Places places = Places::of(Fr::kBits - 1, width, stride);
    Recoding out{};
    std::copy_n(Fr::modulus().begin(), kScalarLimbs, out.modulus);
    std::copy_n(Fr::Constants::kHalf.begin(), kScalarLimbs, out.half);
    out.width = width;
    out.stride = places.stride;
    out.windows = places.windows;
    out.digits = places.digits;
    for (unsigned digit = 0; digit + 1 < places.digits; ++digit) {
      const unsigned bit = places.end(digit) - 1;
      out.offset[bit / 64] |= uint64_t{1} << (bit % 64);
    }
    return out;
  });
}

/// A mixed addition of an entry is 10; a bucket's partial sums and its share of the reduction are about four additions
/// of 14. Where digits have few values, above all the top one, their buckets' partial sums, 1/64 of the entries, are
/// added up by a block of threads one after the other: in the time of one such addition the device does 280,000
/// multiplications.
double cost_of(const Places& places, const Profile& profile) {
  double entries = 0;
  std::array<double, Shape::kMaxWindows> crowded{};
  for (unsigned c = 1; c < kLengthClasses; ++c) {
    if (profile[c] == 0) continue;
    const unsigned reached = places.reached(c);
    const auto count = static_cast<double>(profile[c]);
    entries += count * reached;
    for (unsigned digit = 0; digit < reached; ++digit) {
      const unsigned begin = places.begin(digit);
      const unsigned value_bits = digit + 1 == places.digits ? places.bits - begin : places.end(digit) - 1 - begin;
      crowded[digit % places.windows] += count / static_cast<double>(uint64_t{1} << value_bits);
    }
  }
  const double buckets = static_cast<double>(uint64_t{1} << (places.width - 1));
  const double most_crowded = *std::max_element(crowded.begin(), crowded.end());
  return 10 * entries + 56 * buckets * places.windows + most_crowded / (64 * 128) * 280'000;
}

Places cheapest_places(const Profile& profile, unsigned bits, unsigned stride, unsigned max_width) {
  Places best = Places::of(bits, Shape::kMinWidth, stride);
  double least = cost_of(best, profile);
  for (unsigned width = best.width + 1; width <= max_width; ++width) {
    const Places places = Places::of(bits, width, stride);
    const double cost = cost_of(places, profile);
    if (cost >= least) continue;
    best = places;
    least = cost;
  }
  return best;
}

Shape Shape::of(const cuzk_query& query, const Places& places, unsigned log2_entries, uint32_t units, bool wide) {
  const uint64_t most = uint64_t{1} << log2_entries;
  Shape shape{};
  static_cast<Places&>(shape) = places;
  shape.units = units;
  shape.point_xyzz = xyzz_bytes(query.curve, query.group);
  const Profile profile = full_width(std::max<uint64_t>(query.count, 1));
  const Grouping grouping = group_windows(places, profile, most, places.windows);
  shape.group = grouping.group;
  shape.entries = std::min(most, grouping.entries);
  shape.wide = wide;
  if (wide) {
    const auto fitting = static_cast<unsigned>(most / 16 / shape.window_buckets());
    shape.group = even_group(places.windows, std::clamp(fitting, shape.group, places.windows));
    shape.entries = std::min(most, most_entries(entries_by_window(places, profile), places.windows, shape.group));
  }
  shape.log2_block = log2_block_of(query.count, log2_entries);
  shape.set_log2_range();
  return shape;
}

Shape Shape::narrowed(const Profile& profile) const {
  Shape shape = *this;
  static_cast<Places&>(shape) = cheapest_places(profile, bits, tables() == 1 ? 0 : stride, width);
  const unsigned most = std::min(group << (width - shape.width), shape.windows);
  const bool any_block_fits = entries >> kLog2MaxDigits >> log2_block != 0;
  shape.group =
      wide && any_block_fits ? even_group(shape.windows, most) : group_windows(shape, profile, entries, most).group;
  shape.set_log2_range();
  while (shape.ranges() > ranges() && shape.log2_range < shape.width - 1) ++shape.log2_range;
  return shape;
}

bool Shape::in_one_piece(const Profile& profile) const {
  if (std::accumulate(profile.begin(), profile.end(), uint64_t{0}) > kNegative) return false;
  for (unsigned window = 0; window < windows; window += group) {
    if (EntryBound::of(*this, group_from(window)).sum(profile.data()) > entries) return false;
  }
  return true;
}

void Shape::set_log2_range() {
  constexpr uint64_t kThreads = 256;  // of a multiprocessor
  const uint64_t range = std::clamp<uint64_t>(buckets() / (units * kThreads), 8, 64);
  log2_range = std::min(log2_of(std::bit_ceil(range)), width - 1);
}

namespace {
constexpr unsigned kLog2LeastRun = 3, kLog2MostRun = 6;
}  // namespace

uint64_t Shape::run_threads() const {
  return units * uint64_t{2048};  // a few waves even where 512 of a multiprocessor run at once
}

unsigned Shape::log2_run(uint64_t count) const {
  const uint64_t run = std::clamp<uint64_t>(count / run_threads(), 1U << kLog2LeastRun, 1U << kLog2MostRun);
  return log2_of(std::bit_floor(run));
}

uint64_t Shape::partials() const {
  // Below the longest run a length serves up to twice as many entries as fill the threads.
  const uint64_t runs = std::max(entries >> kLog2MostRun, std::min(entries >> kLog2LeastRun, 2 * run_threads()));
  return runs + 1 + group_buckets();
}

Piece whole_piece(const Shape& shape, const Profile& profile, const EntryBound& bound, uint64_t points) {
  return {0, static_cast<uint32_t>(points), 0, static_cast<uint32_t>(shape.blocks(points)),
          static_cast<uint32_t>(bound.sum(profile.data()))};
}

Piece next_piece(const Shape& shape, std::span<const uint16_t> counts, const EntryBound& bound, uint64_t first,
                 uint64_t end) {
  const uint64_t block = uint64_t{1} << shape.log2_block;
  const uint64_t first_block = first >> shape.log2_block;
  Piece piece{first, 0, static_cast<uint32_t>(first_block), 0, 0};
  uint64_t at = first, entries = 0;
  while (at < end) {
    const uint64_t number = first_block + piece.blocks;
    const uint64_t more = bound.sum(counts.data() + number * kLengthClasses);
    if (piece.blocks != 0 && (entries + more > shape.entries || at + block - first > kNegative)) break;
    entries += more;
    ++piece.blocks;
    at = std::min(end, (number + 1) << shape.log2_block);
  }
  piece.count = static_cast<uint32_t>(at - first);
  piece.entries = static_cast<uint32_t>(entries);
  return piece;
}

}  // namespace cuzk::cuda
