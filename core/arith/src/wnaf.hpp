#pragma once
/// Signed-window scalar multiplication, the part that plain and GLV multiplication share.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/jacobian.hpp>

namespace cuzk::arith::wnaf {

inline constexpr std::size_t kWidth = 5;
inline constexpr std::size_t kTableSize = std::size_t{1} << (kWidth - 2);

/// Bits [position, position + kWidth) of a little-endian integer; zeros above its end.
inline std::uint32_t window_at(std::span<const std::uint64_t> value, std::size_t position) {
  const std::size_t word = position / 64;
  const std::size_t shift = position % 64;
  if (word >= value.size()) return 0;
  std::uint64_t bits = value[word] >> shift;
  if (shift + kWidth > 64 && word + 1 < value.size()) bits |= value[word + 1] << (64 - shift);
  return static_cast<std::uint32_t>(bits) & ((1U << kWidth) - 1);
}

/// The width-5 non-adjacent form, least significant digit first: each digit is zero or odd and below 16 in absolute
/// value, and of five neighbours at most one is not zero. One digit more than `value` has bits.
inline std::vector<std::int8_t> digits(std::span<const std::uint64_t> value) {
  std::vector<std::int8_t> result(64 * value.size() + 1, 0);
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < result.size();) {
    const std::uint32_t window = window_at(value, i) + carry;
    if ((window & 1U) == 0) {
      ++i;
      continue;
    }
    carry = (window >> (kWidth - 1)) & 1U;
    result[i] = static_cast<std::int8_t>(static_cast<int>(window) - static_cast<int>(carry << kWidth));
    i += kWidth;
  }
  return result;
}

/// P, 3P, ..., 15P.
template <class G>
std::array<Affine<G>, kTableSize> odd_multiples(const Affine<G>& point) {
  std::array<Xyzz<G>, kTableSize> multiples;
  const Xyzz<G> twice = Xyzz<G>::doubled(point);
  multiples[0] = Xyzz<G>::from_affine(point);
  for (std::size_t i = 1; i < kTableSize; ++i) multiples[i] = multiples[i - 1] + twice;
  std::array<Affine<G>, kTableSize> table;
  batch_to_affine<G>(multiples, table);
  return table;
}

/// A scalar's digits and the odd multiples of the point they stand for.
template <class G>
struct Term {
  std::vector<std::int8_t> digits;
  std::array<Affine<G>, kTableSize> table;
};

/// The sum of all terms, their doublings shared.
template <class G>
Xyzz<G> sum(std::span<const Term<G>> terms) {
  std::size_t length = 0;
  for (const Term<G>& term : terms) length = std::max(length, term.digits.size());
  Jacobian<G> total = Jacobian<G>::infinity();
  for (std::size_t i = length; i-- > 0;) {
    total = total.doubled();
    for (const Term<G>& term : terms) {
      const int digit = i < term.digits.size() ? term.digits[i] : 0;
      if (digit > 0) total += term.table[static_cast<std::size_t>(digit) / 2];
      if (digit < 0) total += -term.table[static_cast<std::size_t>(-digit) / 2];
    }
  }
  return total.to_xyzz();
}

}  // namespace cuzk::arith::wnaf
