#pragma once
/// Fixed-length multi-precision helpers: little-endian 64-bit limbs, constexpr, no allocation.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cuzk::arith {

template <std::size_t N>
using LimbArray = std::array<std::uint64_t, N>;

namespace limbs {

__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

/// a + b + carry; carry (0 or 1) is replaced by the carry out.
constexpr std::uint64_t add_carry(std::uint64_t a, std::uint64_t b, std::uint64_t& carry) {
  const u128 t = static_cast<u128>(a) + b + carry;
  carry = static_cast<std::uint64_t>(t >> 64);
  return static_cast<std::uint64_t>(t);
}

/// a - b - borrow; borrow (0 or 1) is replaced by the borrow out.
constexpr std::uint64_t sub_borrow(std::uint64_t a, std::uint64_t b, std::uint64_t& borrow) {
  const u128 t = static_cast<u128>(a) - b - borrow;
  borrow = static_cast<std::uint64_t>(t >> 64) & 1U;
  return static_cast<std::uint64_t>(t);
}

/// acc + a * b + carry, which fits 128 bits; carry is replaced by the high word.
constexpr std::uint64_t mul_add(std::uint64_t acc, std::uint64_t a, std::uint64_t b, std::uint64_t& carry) {
  const u128 t = static_cast<u128>(a) * b + acc + carry;
  carry = static_cast<std::uint64_t>(t >> 64);
  return static_cast<std::uint64_t>(t);
}

/// r = a + b, returns the carry out. r may be a or b.
template <std::size_t N>
constexpr std::uint64_t add(LimbArray<N>& r, const LimbArray<N>& a, const LimbArray<N>& b) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < N; ++i) r[i] = add_carry(a[i], b[i], carry);
  return carry;
}

/// r = a - b, returns the borrow out. r may be a or b.
template <std::size_t N>
constexpr std::uint64_t sub(LimbArray<N>& r, const LimbArray<N>& a, const LimbArray<N>& b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < N; ++i) r[i] = sub_borrow(a[i], b[i], borrow);
  return borrow;
}

/// `mask ? a : b`, branchless; mask is 0 or all ones.
template <std::size_t N>
constexpr LimbArray<N> select(std::uint64_t mask, const LimbArray<N>& a, const LimbArray<N>& b) {
  LimbArray<N> r{};
  for (std::size_t i = 0; i < N; ++i) r[i] = b[i] ^ (mask & (a[i] ^ b[i]));
  return r;
}

template <std::size_t N>
constexpr bool is_zero(const LimbArray<N>& a) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < N; ++i) any |= a[i];
  return any == 0;
}

template <std::size_t N>
constexpr bool less(const LimbArray<N>& a, const LimbArray<N>& b) {
  LimbArray<N> difference{};
  return sub(difference, a, b) != 0;
}

/// a >> bits for 0 <= bits < 64, with `top` shifted in from above.
template <std::size_t N>
constexpr LimbArray<N> shift_right(const LimbArray<N>& a, unsigned bits, std::uint64_t top = 0) {
  if (bits == 0) return a;
  LimbArray<N> r{};
  for (std::size_t i = 0; i < N; ++i) {
    const std::uint64_t above = i + 1 < N ? a[i + 1] : top;
    r[i] = (a[i] >> bits) | (above << (64 - bits));
  }
  return r;
}

/// Position of the highest set bit plus one; 0 for zero.
template <std::size_t N>
constexpr std::size_t bit_length(const LimbArray<N>& a) {
  for (std::size_t i = N; i-- > 0;) {
    if (a[i] != 0) return 64 * i + static_cast<std::size_t>(std::bit_width(a[i]));
  }
  return 0;
}

template <std::size_t N>
constexpr std::size_t trailing_zeros(const LimbArray<N>& a) {
  for (std::size_t i = 0; i < N; ++i) {
    if (a[i] != 0) return 64 * i + static_cast<std::size_t>(std::countr_zero(a[i]));
  }
  return 64 * N;
}

}  // namespace limbs
}  // namespace cuzk::arith
