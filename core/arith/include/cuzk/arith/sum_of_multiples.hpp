#pragma once
/// Sums of multiples of few points, up to thousands, on one thread.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::arith {

/// Sum of scalars[i] * points[i] for as many of both, points anywhere on the curve and scalars any 256-bit integers.
/// Buckets (Pippenger's method with windows from the top and running sums), for a handful of points one multiplication
/// each. Variable time.
template <class G>
Xyzz<G> sum_of_multiples(std::span<const Affine<G>> points, std::span<const std::array<std::uint64_t, 4>> scalars) {
  constexpr std::size_t kHandful = 8;
  constexpr unsigned kBits = 256;
  auto sum = Xyzz<G>::infinity();
  if (points.size() < kHandful) {
    for (std::size_t i = 0; i < points.size(); ++i) sum += scalar_mul(points[i], scalars[i]);
    return sum;
  }
  // Adding up a window's buckets costs twice their number: an eighth of the points keeps that below the points' share.
  const unsigned width = std::clamp(static_cast<unsigned>(std::bit_width(points.size())) - 3, 2U, 12U);
  std::vector<Xyzz<G>> buckets((std::size_t{1} << width) - 1);
  for (unsigned window = (kBits - 1) / width + 1; window-- > 0;) {
    for (unsigned i = 0; i < width; ++i) sum = sum.doubled();
    std::fill(buckets.begin(), buckets.end(), Xyzz<G>::infinity());
    const unsigned low = window * width, limb = low / 64, shift = low % 64;
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::uint64_t digit = scalars[i][limb] >> shift;
      if (shift + width > 64 && limb + 1 < scalars[i].size()) digit |= scalars[i][limb + 1] << (64 - shift);
      digit &= buckets.size();
      if (digit != 0) buckets[digit - 1] += points[i];
    }
    auto running = Xyzz<G>::infinity();
    for (std::size_t b = buckets.size(); b-- > 0;) {
      running += buckets[b];
      sum += running;
    }
  }
  return sum;
}

}  // namespace cuzk::arith
