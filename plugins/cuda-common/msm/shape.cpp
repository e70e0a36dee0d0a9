#include "shape.hpp"

#include <algorithm>
#include <bit>
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

/// Windows of a group: as many as the entries of each group fit, in as few groups as that and `most` allow.
unsigned group_of(const Profile& profile, unsigned width, unsigned windows, uint64_t entries, unsigned most) {
  const auto fits = [&](unsigned group) {
    for (unsigned first = 0; first < windows; first += group) {
      if (EntryBound::of(width, {first, std::min(group, windows - first)}).sum(profile.data()) > entries) return false;
    }
    return true;
  };
  for (unsigned groups = ceil_div(windows, most);; ++groups) {
    const unsigned group = ceil_div(windows, groups);
    if (group == 1 || fits(group)) return group;
  }
}

/// So that there are about 2^13 blocks, which fill the device and take little memory, and one has at most 2^15 bases,
/// at least those of a warp, and no more entries than are sorted at once.
unsigned log2_block_of(uint64_t points, unsigned log2_entries) {
  constexpr unsigned kLog2Blocks = 13, kLeast = 5, kMost = 15, kLog2MaxWindows = 6;
  static_assert(Shape::kMaxWindows <= 1U << kLog2MaxWindows);
  const unsigned even = points == 0 ? 0 : static_cast<unsigned>(std::bit_width((points - 1) >> kLog2Blocks));
  return std::min({std::max(even, kLeast), kMost, log2_entries - kLog2MaxWindows});
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

Recoding recoding(uint32_t curve, unsigned width) {
  return with_scalars(curve, [width]<class Fr>() {
    static_assert(Fr::kLimbs == kScalarLimbs);
    static_assert((Fr::kBits - 1) / Shape::kMinWidth + 1 <= Shape::kMaxWindows);
    static_assert(Fr::kBits - 1 <= 16 * (kLengthClasses - 2));
    Recoding out{};
    std::copy_n(Fr::modulus().begin(), kScalarLimbs, out.modulus);
    std::copy_n(Fr::Constants::kHalf.begin(), kScalarLimbs, out.half);
    out.width = width;
    out.windows = static_cast<uint32_t>((Fr::kBits - 1) / width + 1);
    for (unsigned w = 0; w + 1 < out.windows; ++w) {
      const unsigned bit = w * width + width - 1;
      out.offset[bit / 64] |= uint64_t{1} << (bit % 64);
    }
    return out;
  });
}

/// A mixed addition of an entry is 10; a bucket's partial sums and its share of the reduction are about four additions
/// of 14. Where the top digit has few values, its buckets' partial sums, 1/64 of the entries, are added up by a block
/// of threads one after the other: in the time of one such addition the device does 280,000 multiplications.
double cost_of(unsigned width, const Profile& profile, unsigned bits) {
  const unsigned windows = bits / width + 1;
  const auto entries = [&](WindowRange range) {
    return static_cast<double>(EntryBound::of(width, range).sum(profile.data()));
  };
  const double buckets = static_cast<double>(uint64_t{1} << (width - 1));
  const double top_values = static_cast<double>(uint64_t{1} << (bits % width));
  return 10 * entries({0, windows}) + 56 * buckets * windows +
         entries({windows - 1, 1}) / top_values / (64 * 128) * 280'000;
}

unsigned best_width(const Profile& profile, unsigned bits, unsigned max_width) {
  unsigned best = Shape::kMinWidth;
  for (unsigned width = best + 1; width <= max_width; ++width) {
    if (cost_of(width, profile, bits) < cost_of(best, profile, bits)) best = width;
  }
  return best;
}

Shape Shape::of(const cuzk_query& query, unsigned max_width, unsigned log2_entries, uint32_t units) {
  const unsigned bits = scalar_bits(query.curve);
  const uint64_t most = uint64_t{1} << log2_entries, points = std::max<uint64_t>(query.count, 1);
  const Profile profile = full_width(points);
  Shape shape{};
  shape.units = units;
  shape.point_xyzz = xyzz_bytes(query.curve, query.group);
  shape.width = best_width(profile, bits, max_width);
  shape.windows = bits / shape.width + 1;
  shape.group = group_of(profile, shape.width, shape.windows, most, shape.windows);
  shape.entries = std::min(points, most) * shape.group;
  shape.log2_block = log2_block_of(query.count, log2_entries);
  shape.set_log2_range();
  return shape;
}

Shape Shape::narrowed(const Profile& profile, uint32_t curve) const {
  const unsigned bits = scalar_bits(curve);
  Shape shape = *this;
  shape.width = best_width(profile, bits, width);
  shape.windows = bits / shape.width + 1;
  const unsigned most = std::min(group << (width - shape.width), shape.windows);
  shape.group = group_of(profile, shape.width, shape.windows, entries, most);
  shape.set_log2_range();
  while (shape.ranges() > ranges() && shape.log2_range < shape.width - 1) ++shape.log2_range;
  return shape;
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
