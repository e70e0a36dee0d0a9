#pragma once
/// Scalars as signed digits, and digits as entries to sort.

#include "../field/carry.cuh"

#include <cstdint>

namespace cuzk::cuda {

constexpr unsigned kScalarLimbs = 4;  ///< 64-bit limbs of a scalar, least significant first

/// An entry's value in the sort: the base's place in its piece, with the sign of its digit in the top bit.
constexpr uint32_t kNegative = uint32_t{1} << 31;

/// Cuts scalars into digits of at most `width` bits, each in [-2^(b-1), 2^(b-1)] if it has b: half the buckets of
/// unsigned digits. A scalar s is taken as +-m with m <= (r - 1) / 2, which is a bit shorter and makes r - 1 as cheap
/// as
/// 1. With K = sum of 2^(b-1) at every digit but the top one, the digits of m are those of m + K, each less 2^(b-1): no
/// carry runs from one to the next.
///
/// Where bases have tables of their multiples by 2^stride, 2^(2 stride), ..., the digits from bit j stride on meet
/// table j: digit (window, table) stands at window * width + table * stride, and the last window of a table has what
/// bits are left. Made by recoding().
struct Recoding {
  uint64_t modulus[kScalarLimbs];  ///< r
  uint64_t half[kScalarLimbs];     ///< (r - 1) / 2
  uint64_t offset[kScalarLimbs];   ///< K
  uint32_t width, stride;
  uint32_t windows;  ///< to a table
  uint32_t digits;   ///< of all tables; the last table may have fewer windows
};

/// a - b, where a >= b or the caller wants the borrow. @return the borrow
CUZK_DEVICE bool subtract(uint64_t* out, const uint64_t* a, const uint64_t* b) {
  bool borrow = false;
  for (unsigned i = 0; i < kScalarLimbs; ++i) {
    const uint64_t x = a[i], y = b[i], d = x - y;
    out[i] = d - static_cast<uint64_t>(borrow);
    borrow = x < y || (borrow && d == 0);
  }
  return borrow;
}

/// out = m <= (r - 1) / 2 with s = m or -m mod r; s: any 256-bit plain integer. @return whether s = -m
CUZK_DEVICE bool take_magnitude(const Recoding& recoding, const uint64_t* s, uint64_t* m) {
  uint64_t t[kScalarLimbs];
  for (unsigned i = 0; i < kScalarLimbs; ++i) m[i] = s[i];
  while (!subtract(t, m, recoding.modulus)) {
    for (unsigned i = 0; i < kScalarLimbs; ++i) m[i] = t[i];
  }
  const bool negative = subtract(t, recoding.half, m);
  if (negative) subtract(m, recoding.modulus, m);
  return negative;
}

/// The digits of one scalar.
struct Digits {
  uint64_t limb[kScalarLimbs + 1];  ///< m + K, with a zero limb on top
  bool negative;

  /// s: any 256-bit plain integer, reduced here.
  CUZK_DEVICE static Digits of(const Recoding& recoding, const uint64_t* s) {
    uint64_t m[kScalarLimbs];
    Digits digits;
    digits.negative = take_magnitude(recoding, s, m);
    bool carry = false;
    for (unsigned i = 0; i < kScalarLimbs; ++i) {
      const uint64_t sum = m[i] + recoding.offset[i];
      digits.limb[i] = sum + static_cast<uint64_t>(carry);
      carry = sum < m[i] || (carry && digits.limb[i] == 0);
    }
    digits.limb[kScalarLimbs] = 0;
    return digits;
  }

  /// The lowest first. There must be such a digit.
  CUZK_DEVICE int32_t at(const Recoding& recoding, unsigned window, unsigned table = 0) const {
    const unsigned start = window * recoding.width, left = recoding.stride - start;
    const unsigned size = left < recoding.width ? left : recoding.width;
    const unsigned bit = table * recoding.stride + start, at = bit / 64, shift = bit % 64;
    const uint64_t bits = (limb[at] >> shift) | ((limb[at + 1] << 1) << (63 - shift));
    int32_t digit = static_cast<int32_t>(bits & ((uint64_t{1} << size) - 1));
    if (table * recoding.windows + window + 1 < recoding.digits) digit -= int32_t{1} << (size - 1);
    return negative ? -digit : digit;
  }
};

/// What a digit that is not zero is sorted by: its bucket, numbered through the windows of a group. window: within the
/// group.
CUZK_DEVICE uint32_t key_of(const Recoding& recoding, unsigned window, int32_t digit) {
  const uint32_t magnitude = static_cast<uint32_t>(digit < 0 ? -digit : digit);
  return (window << (recoding.width - 1)) + magnitude - 1;
}

}  // namespace cuzk::cuda
