#pragma once
/// Points in Jacobian coordinates.

#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// A point in Jacobian coordinates: x = X/Z^2, y = Y/Z^3; infinity has Z = 0. The cheapest coordinates to double in, so
/// scalar multiplication uses them.
///
/// All laws are complete: operands may be equal, opposite or infinite, in any representation. Formulas from the
/// Explicit-Formulas Database, g1p/auto-shortw-jacobian-0. Variable time. G as in Affine.
template <class G>
struct Jacobian {
  using Base = typename G::Base;

  Base x, y, z;

  static constexpr Jacobian infinity() { return {Base::zero(), Base::zero(), Base::zero()}; }
  static constexpr Jacobian from_affine(const Affine<G>& p) {
    if (p.is_infinity()) return infinity();
    return {p.x, p.y, Base::one()};
  }
  constexpr bool is_infinity() const { return z.is_zero(); }

  constexpr Jacobian operator-() const { return {x, -y, z}; }

  /// 2P by dbl-2009-l: 2M + 5S.
  constexpr Jacobian doubled() const {
    const Base a = x.square();
    const Base b = y.square();
    const Base c = b.square();
    const Base d = ((x + b).square() - a - c).doubled();
    const Base e = a.doubled() + a;
    const Base x3 = e.square() - d.doubled();
    return {x3, e * (d - x3) - c.doubled().doubled().doubled(), (y * z).doubled()};
  }

  /// P + Q by add-2007-bl: 11M + 5S.
  constexpr Jacobian& operator+=(const Jacobian& q) {
    if (q.is_infinity()) return *this;
    if (is_infinity()) return *this = q;
    const Base z1z1 = z.square();
    const Base z2z2 = q.z.square();
    const Base u1 = x * z2z2;
    const Base s1 = y * q.z * z2z2;
    const Base h = q.x * z1z1 - u1;
    const Base half_r = q.y * z * z1z1 - s1;
    if (h.is_zero()) return *this = half_r.is_zero() ? doubled() : infinity();
    const Base r = half_r.doubled();
    const Base i = h.doubled().square();
    const Base j = h * i;
    const Base v = u1 * i;
    z = ((z + q.z).square() - z1z1 - z2z2) * h;
    x = r.square() - j - v.doubled();
    y = r * (v - x) - (s1 * j).doubled();
    return *this;
  }

  /// P + Q with an affine Q by madd-2007-bl: 7M + 4S.
  constexpr Jacobian& operator+=(const Affine<G>& q) {
    if (q.is_infinity()) return *this;
    if (is_infinity()) return *this = from_affine(q);
    const Base z1z1 = z.square();
    const Base h = q.x * z1z1 - x;
    const Base half_r = q.y * z * z1z1 - y;
    if (h.is_zero()) return *this = half_r.is_zero() ? doubled() : infinity();
    const Base hh = h.square();
    const Base i = hh.doubled().doubled();
    const Base j = h * i;
    const Base r = half_r.doubled();
    const Base v = x * i;
    z = (z + h).square() - z1z1 - hh;
    x = r.square() - j - v.doubled();
    y = r * (v - x) - (y * j).doubled();
    return *this;
  }

  friend constexpr Jacobian operator+(Jacobian p, const Jacobian& q) { return p += q; }
  friend constexpr Jacobian operator+(Jacobian p, const Affine<G>& q) { return p += q; }

  /// Equality of the points, whatever their representation: 6M + 2S.
  friend constexpr bool operator==(const Jacobian& p, const Jacobian& q) { return p.to_xyzz() == q.to_xyzz(); }

  /// 1M + 1S.
  constexpr Xyzz<G> to_xyzz() const {
    const Base zz = z.square();
    return {x, y, zz, zz * z};
  }

  /// One inversion, 3M + 1S.
  Affine<G> to_affine() const {
    if (is_infinity()) return Affine<G>::infinity();
    const Base i = z.inverse();
    const Base ii = i.square();
    return {x * ii, y * ii * i};
  }
};

}  // namespace cuzk::arith
