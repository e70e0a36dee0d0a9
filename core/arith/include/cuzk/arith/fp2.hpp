#pragma once
/// The quadratic extension of the base fields.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <cuzk/arith/fields.hpp>

namespace cuzk::arith {

/// F[u]/(u^2 + 1): c0 + c1 u, both in Montgomery form. Both curves' base fields have p = 3 mod 4, so that -1 is no
/// square and one class serves both. Standard layout, c0 first. The interface is Field's: the group laws take either.
template <class F>
struct Fp2 {
  using Coefficient = F;

  F c0, c1;

  static constexpr Fp2 zero() { return {F::zero(), F::zero()}; }
  static constexpr Fp2 one() { return {F::one(), F::zero()}; }
  static constexpr Fp2 from_u64(std::uint64_t value) { return {F::from_u64(value), F::zero()}; }

  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  friend constexpr bool operator==(const Fp2& a, const Fp2& b) { return a.c0 == b.c0 && a.c1 == b.c1; }

  friend constexpr Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend constexpr Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  constexpr Fp2 operator-() const { return {-c0, -c1}; }

  /// Four products and two reductions.
  friend constexpr Fp2 operator*(const Fp2& a, const Fp2& b) {
    Fp2 r;
    complex_product(r.c0, r.c1, a.c0, a.c1, b.c0, b.c1);
    return r;
  }
  /// By an element of the prime field, 2M.
  friend constexpr Fp2 operator*(const Fp2& a, const F& b) { return {a.c0 * b, a.c1 * b}; }

  constexpr Fp2& operator+=(const Fp2& b) {
    c0 += b.c0;
    c1 += b.c1;
    return *this;
  }
  constexpr Fp2& operator-=(const Fp2& b) {
    c0 -= b.c0;
    c1 -= b.c1;
    return *this;
  }
  constexpr Fp2& operator*=(const Fp2& b) {
    complex_product(c0, c1, c0, c1, b.c0, b.c1);
    return *this;
  }

  /// (c0 + c1)(c0 - c1) + 2 c0 c1 u, 2M.
  constexpr Fp2 square() const {
    const F cross = c0 * c1;
    return {(c0 + c1) * (c0 - c1), cross.doubled()};
  }
  constexpr Fp2 doubled() const { return {c0.doubled(), c1.doubled()}; }
  constexpr Fp2 halved() const { return {c0.halved(), c1.halved()}; }

  /// c0 - c1 u: also the p-power Frobenius.
  constexpr Fp2 conjugate() const { return {c0, -c1}; }
  /// c0^2 + c1^2, the product with the conjugate.
  constexpr F norm() const { return c0.square() + c1.square(); }
  /// One inversion in F and 4M; the inverse of zero is zero.
  Fp2 inverse() const {
    const F scale = norm().inverse();
    return {c0 * scale, -(c1 * scale)};
  }

  /// Exponent: little-endian 64-bit limbs of any number. Variable time.
  Fp2 pow(std::span<const std::uint64_t> exponent) const {
    Fp2 result = one();
    for (std::size_t bit = 64 * exponent.size(); bit-- > 0;) {
      result = result.square();
      if ((exponent[bit / 64] >> (bit % 64)) & 1) result *= *this;
    }
    return result;
  }

  /// A square root (either one), or nothing where there is none. "Complex method": with s^2 = norm, one of (c0 +- s)/2
  /// is the square of the root's c0. At most three square roots and one inversion in F.
  std::optional<Fp2> sqrt() const {
    if (c1.is_zero()) {
      if (const auto root = c0.sqrt()) return Fp2{*root, F::zero()};
      return Fp2{F::zero(), *(-c0).sqrt()};
    }
    const auto s = norm().sqrt();
    if (!s) return std::nullopt;
    auto x0 = (c0 + *s).halved().sqrt();
    if (!x0) x0 = (c0 - *s).halved().sqrt();
    return Fp2{*x0, c1 * x0->doubled().inverse()};
  }

  /// Whether this is the larger of {a, -a}, c1 compared first: the sign bit of compressed points.
  constexpr bool is_lexicographically_largest() const {
    return c1.is_zero() ? c0.is_lexicographically_largest() : c1.is_lexicographically_largest();
  }
};

/// y^2 - x^3: 4M + 2S in F with four reductions, from x^3 = x0 (x0^2 - 3 x1^2) + x1 (3 x0^2 - x1^2) u.
template <class F>
constexpr Fp2<F> square_minus_cube(const Fp2<F>& y, const Fp2<F>& x) {
  const F s = x.c0.square();
  const F t = x.c1.square();
  return {difference_of_products(y.c0 + y.c1, y.c0 - y.c1, x.c0, s - t.doubled() - t),
          difference_of_products(y.c0, y.c1.doubled(), x.c1, s.doubled() + s - t)};
}

/// a times the sextic non-residue xi of the tower Fp6 = Fp2[v]/(v^3 - xi): 9 + u on BN254.
constexpr Fp2<Bn254Fp> mul_by_xi(const Fp2<Bn254Fp>& a) {
  const Fp2<Bn254Fp> nine = a.doubled().doubled().doubled() + a;
  return {nine.c0 - a.c1, nine.c1 + a.c0};
}

/// The same on BLS12-381, where xi = 1 + u.
constexpr Fp2<Bls12381Fp> mul_by_xi(const Fp2<Bls12381Fp>& a) { return {a.c0 - a.c1, a.c0 + a.c1}; }

}  // namespace cuzk::arith
