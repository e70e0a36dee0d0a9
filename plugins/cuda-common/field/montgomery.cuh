#pragma once
/// Montgomery multiplication in carry chains of 32-bit words.
///
/// CIOS (Koc, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", 1996) with the running sum
/// kept as T = E + 2^32 O: products a_j b_i with even j go to E, those with odd j to O. Each product is then a pair of
/// neighbouring words, low and high half, and a row is one unbroken chain of multiply-adds, which the device does as
/// IMAD.WIDE with carry. After a reduction E[0] = 0; dividing by 2^32 makes O the next E, and E, moved down by two
/// words, the next O; E[1] alone changes sides, its carry being the first of the next row's chain. N. Emmart, J. Zheng,
/// C. Weems, "Faster modular exponentiation using double precision floating point arithmetic on the GPU" (2018),
/// describes the pairing of columns.
///
/// Cost: 2 n^2 wide multiply-adds and n low products, which take half the time, for n words: 132 (n = 8) or 294 (n =
/// 12) IMAD.WIDE-equivalents; 112 for Fr of BLS12-381.

#include "carry.cuh"

#include <cstddef>

namespace cuzk::cuda::montgomery {

/// acc = sum of a[j] b 2^(32 j) over even j.
template <size_t N>
CUZK_DEVICE void multiply_row(uint32_t (&acc)[N], const uint32_t* a, uint32_t b) {
  CUZK_UNROLL
  for (size_t j = 0; j < N; j += 2) {
    acc[j] = mul_lo(a[j], b);
    acc[j + 1] = mul_hi(a[j], b);
  }
}

/// The rest of a row from word kFirst on, the flag coming in and going out.
template <size_t kFirst, size_t N>
CUZK_DEVICE void continue_row(uint32_t (&acc)[N], const uint32_t* a, uint32_t b) {
  CUZK_UNROLL
  for (size_t j = kFirst; j < N; j += 2) {
    acc[j] = madc_lo_cc(a[j], b, acc[j]);
    acc[j + 1] = madc_hi_cc(a[j], b, acc[j + 1]);
  }
}

/// acc += sum of a[j] b 2^(32 j) over even j; the carry out of the top stands in the flag.
template <size_t N>
CUZK_DEVICE void add_row(uint32_t (&acc)[N], const uint32_t* a, uint32_t b) {
  acc[0] = mad_lo_cc(a[0], b, acc[0]);
  acc[1] = madc_hi_cc(a[0], b, acc[1]);
  continue_row<2>(acc, a, b);
}

/// odd = odd / 2^64 + sum of a[j] b 2^(32 j) over even j + the flag. The top pair holds one product and carries alone:
/// nothing leaves it.
template <size_t N>
CUZK_DEVICE void continue_shifted_row(uint32_t (&odd)[N], const uint32_t* a, uint32_t b) {
  CUZK_UNROLL
  for (size_t j = 0; j + 2 < N; j += 2) {
    odd[j] = madc_lo_cc(a[j], b, odd[j + 2]);
    odd[j + 1] = madc_hi_cc(a[j], b, odd[j + 3]);
  }
  odd[N - 2] = madc_lo_cc(a[N - 2], b, 0);
  odd[N - 1] = madc_hi(a[N - 2], b, 0);
}

/// The division by 2^32 and the odd half of the next row.
template <size_t N>
CUZK_DEVICE void shift_and_add_row(uint32_t (&even)[N], uint32_t (&odd)[N], const uint32_t* a, uint32_t b) {
  even[0] = add_cc(even[0], odd[1]);
  continue_shifted_row(odd, a, b);
}

/// T += m p with m such that even[0] becomes 0. T stays below 2 p 2^32, which fits: the odd chain leaves no carry and
/// the even one's is taken by odd's top word.
///
/// Where p = 1 - 2^32 mod 2^64 (Fr of BLS12-381), m = -e with e = even[0], and the products with p's two low words are
/// sums: e + m (1 + (2^32 - 1) 2^32) = 2^32 (e + 1) + 2^64 (m - 1), or 0 for e = 0. Two wide products less.
template <class P>
CUZK_DEVICE void reduce_row(uint32_t (&even)[P::kLimbs32], uint32_t (&odd)[P::kLimbs32]) {
  constexpr size_t n = P::kLimbs32;
  constexpr auto p = P::kModulus;
  if constexpr (p.at[0] == 1 && p.at[1] == UINT32_MAX) {
    const uint32_t e = even[0];
    const uint32_t m = negate(e);
    const uint32_t high = e == 0 ? 0 : ~e;
    add_cc(e, UINT32_MAX);  // the flag: e != 0
    odd[0] = addc_cc(odd[0], e);
    odd[1] = addc_cc(odd[1], high);
    continue_row<2>(odd, p.at + 1, m);
    even[0] = 0;
    even[2] = mad_lo_cc(p.at[2], m, even[2]);
    even[3] = madc_hi_cc(p.at[2], m, even[3]);
    continue_row<4>(even, p.at, m);
  } else {
    const uint32_t m = mul_lo(even[0], P::kInv);
    add_row(odd, p.at + 1, m);
    add_row(even, p.at, m);
  }
  odd[n - 1] = addc(odd[n - 1], 0);
}

/// One step for the word b: divides T by 2^32, adds a b and reduces.
template <class P>
CUZK_DEVICE void step(uint32_t (&even)[P::kLimbs32], uint32_t (&odd)[P::kLimbs32], const uint32_t* a, uint32_t b) {
  shift_and_add_row(even, odd, a + 1, b);
  add_row(even, a, b);
  odd[P::kLimbs32 - 1] = addc(odd[P::kLimbs32 - 1], 0);
  reduce_row<P>(even, odd);
}

/// r = r - p if r >= p; r < 2p.
template <class P>
CUZK_DEVICE void subtract_once(uint32_t (&r)[P::kLimbs32]) {
  constexpr size_t n = P::kLimbs32;
  constexpr auto p = P::kModulus;
  uint32_t reduced[n];
  reduced[0] = sub_cc(r[0], p.at[0]);
  CUZK_UNROLL
  for (size_t i = 1; i < n; ++i) reduced[i] = subc_cc(r[i], p.at[i]);
  const bool less = subc(0, 0) != 0;
  CUZK_UNROLL
  for (size_t i = 0; i < n; ++i) r[i] = less ? r[i] : reduced[i];
}

/// r = T after the last step, whose even half is `odd`, with 0 in word 0.
template <size_t N>
CUZK_DEVICE void join(uint32_t (&r)[N], const uint32_t (&even)[N], const uint32_t (&odd)[N]) {
  r[0] = add_cc(even[0], odd[1]);
  CUZK_UNROLL
  for (size_t i = 1; i + 1 < N; ++i) r[i] = addc_cc(even[i], odd[i + 1]);
  r[N - 1] = addc(even[N - 1], 0);
}

/// r = a b / R mod p for a, b < p. r may be a or b.
template <class P>
CUZK_DEVICE void multiply(uint32_t (&r)[P::kLimbs32], const uint32_t (&a)[P::kLimbs32],
                          const uint32_t (&b)[P::kLimbs32]) {
  constexpr size_t n = P::kLimbs32;
  static_assert(n % 4 == 0, "words are taken in pairs, steps two at a time");
  uint32_t even[n], odd[n];
  multiply_row(odd, a + 1, b[0]);
  multiply_row(even, a, b[0]);
  reduce_row<P>(even, odd);
  CUZK_UNROLL
  for (size_t i = 1; i < n; i += 2) {
    step<P>(odd, even, a, b[i]);
    if (i + 1 < n) step<P>(even, odd, a, b[i + 1]);
  }
  join(r, even, odd);
  subtract_once<P>(r);
}

}  // namespace cuzk::cuda::montgomery
