#pragma once
/// Montgomery squaring: half the products of a multiplication, then the reduction of a double-length number.
///
/// Cost: n (n + 1) / 2 + n^2 wide multiply-adds and n low products: 104 (n = 8) or 228 (n = 12) IMAD.WIDE-equivalents,
/// and 5 n additions with carry more than a multiplication.

#include "montgomery.cuh"

#include <cstddef>
#include <cstdint>

namespace cuzk::cuda::montgomery {

/// acc += sum of a[i] a[j] 2^(32 (i + j)) over j = kFrom, kFrom + 2, ... < N. The word above the row, which no earlier
/// row has filled, takes the carry.
template <size_t kRow, size_t kFrom, size_t N>
CUZK_DEVICE void add_square_row(uint32_t (&acc)[2 * N], const uint32_t (&a)[N]) {
  if constexpr (kFrom < N) {
    acc[kRow + kFrom] = mad_lo_cc(a[kRow], a[kFrom], acc[kRow + kFrom]);
    acc[kRow + kFrom + 1] = madc_hi_cc(a[kRow], a[kFrom], acc[kRow + kFrom + 1]);
    CUZK_UNROLL
    for (size_t j = kFrom + 2; j < N; j += 2) {
      acc[kRow + j] = madc_lo_cc(a[kRow], a[j], acc[kRow + j]);
      acc[kRow + j + 1] = madc_hi_cc(a[kRow], a[j], acc[kRow + j + 1]);
    }
    constexpr size_t kLast = kFrom + (N - 1 - kFrom) / 2 * 2;
    if constexpr (kRow + kLast + 2 < 2 * N) acc[kRow + kLast + 2] = addc(acc[kRow + kLast + 2], 0);
  }
}

/// Rows kRow to N - 2: the products of two different words, those at even places to even, the others to odd.
template <size_t kRow, size_t N>
CUZK_DEVICE void add_square_rows(uint32_t (&even)[2 * N], uint32_t (&odd)[2 * N], const uint32_t (&a)[N]) {
  if constexpr (kRow + 1 < N) {
    add_square_row<kRow, kRow + 1>(odd, a);
    add_square_row<kRow, kRow + 2>(even, a);
    add_square_rows<kRow + 1>(even, odd, a);
  }
}

/// t = a^2.
template <size_t N>
CUZK_DEVICE void square_wide(uint32_t (&t)[2 * N], const uint32_t (&a)[N]) {
  uint32_t odd[2 * N] = {};
  CUZK_UNROLL
  for (size_t i = 0; i < 2 * N; ++i) t[i] = 0;
  add_square_rows<0>(t, odd, a);
  t[0] = add_cc(t[0], odd[0]);
  CUZK_UNROLL
  for (size_t i = 1; i < 2 * N; ++i) t[i] = addc_cc(t[i], odd[i]);
  t[0] = add_cc(t[0], t[0]);
  CUZK_UNROLL
  for (size_t i = 1; i < 2 * N; ++i) t[i] = addc_cc(t[i], t[i]);
  t[0] = mad_lo_cc(a[0], a[0], t[0]);
  t[1] = madc_hi_cc(a[0], a[0], t[1]);
  CUZK_UNROLL
  for (size_t i = 1; i < N; ++i) {
    t[2 * i] = madc_lo_cc(a[i], a[i], t[2 * i]);
    t[2 * i + 1] = madc_hi_cc(a[i], a[i], t[2 * i + 1]);
  }
}

/// Divides T by 2^32 and reduces, in the same chains as a multiplication's step: the carry of the word that changes
/// sides goes into the odd row.
template <class P>
CUZK_DEVICE void shift_and_reduce_row(uint32_t (&even)[P::kLimbs32], uint32_t (&odd)[P::kLimbs32]) {
  constexpr size_t n = P::kLimbs32;
  constexpr auto p = P::kModulus;
  even[0] = add_cc(even[0], odd[1]);
  const uint32_t m = mul_lo(even[0], P::kInv);
  continue_shifted_row(odd, p.at + 1, m);
  add_row(even, p.at, m);
  odd[n - 1] = addc(odd[n - 1], 0);
}

/// r = a^2 / R mod p for a < p. r may be a.
template <class P>
CUZK_DEVICE void square(uint32_t (&r)[P::kLimbs32], const uint32_t (&a)[P::kLimbs32]) {
  constexpr size_t n = P::kLimbs32;
  if constexpr (P::kInv == UINT32_MAX) {  // its multiplication has a shorter reduction
    multiply<P>(r, a, a);
  } else {
    uint32_t t[2 * n], even[n], odd[n] = {};
    square_wide(t, a);
    CUZK_UNROLL
    for (size_t i = 0; i < n; ++i) even[i] = t[i];
    reduce_row<P>(even, odd);
    CUZK_UNROLL
    for (size_t i = 1; i < n; i += 2) {
      shift_and_reduce_row<P>(odd, even);
      if (i + 1 < n) shift_and_reduce_row<P>(even, odd);
    }
    join(r, even, odd);
    // The low half has become (a^2 mod R + m p) / R <= p, the high half is at most p^2 / R: below 2 p together.
    r[0] = add_cc(r[0], t[n]);
    CUZK_UNROLL
    for (size_t i = 1; i + 1 < n; ++i) r[i] = addc_cc(r[i], t[n + i]);
    r[n - 1] = addc(r[n - 1], t[2 * n - 1]);
    subtract_once<P>(r);
  }
}

}  // namespace cuzk::cuda::montgomery
