#pragma once
/// Many multiples of one point, or one of many: what one thread does in each step.

#include "../curve/points.cuh"
#include "digits.hpp"

#include <cstdint>

namespace cuzk::cuda {

/// The multiple that stands in entry i of the table for digits of `width` bits, as a plain integer: (j + 1) 2^(width w)
/// with i = w 2^(width - 1) + j. Bits from 2^256 on are lost: no digit of a scalar asks for such an entry.
CUZK_DEVICE void entry_scalar(uint64_t* limbs, uint32_t i, unsigned width) {
  const unsigned window = i >> (width - 1), bit = window * width, at = bit / 64, shift = bit % 64;
  const uint64_t value = (i & ((uint32_t{1} << (width - 1)) - 1)) + 1;
  CUZK_UNROLL
  for (unsigned k = 0; k < kScalarLimbs; ++k) {
    limbs[k] = k == at ? value << shift : k == at + 1 ? (value >> 1) >> (63 - shift) : 0;
  }
}

/// scalar P. point(entry, negative) answers an entry of P's table, sign applied, for add_affine().
template <class F, class PointOf>
CUZK_DEVICE Xyzz<F> multiple_of(const Recoding& recoding, const uint64_t* scalar, const PointOf& point) {
  const Digits digits = Digits::of(recoding, scalar);
  auto sum = Xyzz<F>::infinity();
  CUZK_NO_UNROLL
  for (unsigned w = 0; w < recoding.windows; ++w) {
    const int32_t digit = digits.at(recoding, w);
    if (digit == 0) continue;
    const auto magnitude = static_cast<uint32_t>(digit < 0 ? -digit : digit);
    sum.add_affine(point((w << (recoding.width - 1)) + magnitude - 1, digit < 0));
  }
  return sum;
}

/// Keeps what to_affine() needs of a sum: out = X ZZ^2 and Y, and ZZZ, zero for infinity. With these x is
/// X ZZ^2 / ZZZ^2 and y is Y / ZZZ.
template <class F>
CUZK_DEVICE void store_sum(const Xyzz<F>& sum, Affine<F>* out, F* zzz) {
  F x = sum.zz.square();
  x *= sum.x;
  store(&out->x, x);
  store(&out->y, sum.y);
  store(zzz, sum.zzz);
}

/// 2^doublings P, as store_sum() keeps it.
template <class F>
CUZK_DEVICE void shift(const Affine<F>& p, unsigned doublings, Affine<F>* out, F* zzz) {
  auto sum = Xyzz<F>::infinity();
  if (!(p.x.is_zero() && p.y.is_zero())) sum = {p.x, p.y, F::one(), F::one()};
  CUZK_NO_UNROLL
  for (unsigned i = 0; i < doublings; ++i) sum.twice();
  store_sum(sum, out, zzz);
}

/// Makes the points t, t + threads, t + 2 threads, ... below count affine, with one inversion (P. L. Montgomery,
/// "Speeding the Pollard and elliptic curve methods", 1987, section 10.3.1). t < count. before: as large as zzz,
/// overwritten.
template <class F>
CUZK_DEVICE void to_affine(uint32_t t, uint32_t threads, uint32_t count, Affine<F>* out, const F* zzz, F* before) {
  F product = F::one();
  CUZK_NO_UNROLL
  for (uint32_t i = t; i < count; i += threads) {
    store(before + i, product);
    const F z = load(zzz + i);
    if (!z.is_zero()) product *= z;
  }
  F inverse = product.inverse();
  CUZK_NO_UNROLL
  for (uint32_t i = t + (count - 1 - t) / threads * threads;; i -= threads) {
    const F z = load(zzz + i);
    if (z.is_zero()) {
      store(&out[i].x, F::zero());
      store(&out[i].y, F::zero());
    } else {
      const F reciprocal = inverse * load(before + i);
      inverse *= z;
      store(&out[i].y, load(&out[i].y) * reciprocal);
      store(&out[i].x, load(&out[i].x) * reciprocal.square());
    }
    if (i < threads) return;
  }
}

}  // namespace cuzk::cuda
