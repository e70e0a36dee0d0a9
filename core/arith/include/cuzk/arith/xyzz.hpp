#pragma once
/// Points in extended Jacobian coordinates.

#include <cuzk/arith/affine.hpp>

namespace cuzk::arith {

/// A point in extended Jacobian coordinates: x = X/ZZ, y = Y/ZZZ with ZZ^3 = ZZZ^2; infinity has ZZ = ZZZ = 0. The
/// cheapest coordinates to add affine points to, so the accumulators of multi-scalar multiplication use them.
///
/// All laws are complete: operands may be equal, opposite or infinite, in any representation. Formulas from the
/// Explicit-Formulas Database, g1p/auto-shortw-xyzz, with a = 0. Variable time. G as in Affine.
template <class G>
struct Xyzz {
  using Base = typename G::Base;

  Base x, y, zz, zzz;

  static constexpr Xyzz infinity() { return {Base::zero(), Base::zero(), Base::zero(), Base::zero()}; }
  static constexpr Xyzz from_affine(const Affine<G>& p) {
    if (p.is_infinity()) return infinity();
    return {p.x, p.y, Base::one(), Base::one()};
  }
  constexpr bool is_infinity() const { return zz.is_zero(); }

  constexpr Xyzz operator-() const { return {x, -y, zz, zzz}; }

  /// 2P by dbl-2008-s-1: 6M + 3S.
  constexpr Xyzz doubled() const {
    const Base u = y.doubled();
    const Base v = u.square();
    const Base w = u * v;
    const Base s = x * v;
    const Base xx = x.square();
    const Base m = xx.doubled() + xx;
    const Base x3 = m.square() - s.doubled();
    return {x3, m * (s - x3) - w * y, v * zz, w * zzz};
  }

  /// 2P of an affine point by mdbl-2008-s-1: 4M + 3S.
  static constexpr Xyzz doubled(const Affine<G>& p) {
    const Base u = p.y.doubled();
    const Base v = u.square();
    const Base w = u * v;
    const Base s = p.x * v;
    const Base xx = p.x.square();
    const Base m = xx.doubled() + xx;
    const Base x3 = m.square() - s.doubled();
    return {x3, m * (s - x3) - w * p.y, v, w};
  }

  /// P + Q by add-2008-s: 12M + 2S.
  constexpr Xyzz& operator+=(const Xyzz& b) {
    if (b.is_infinity()) return *this;
    if (is_infinity()) return *this = b;
    const Base u1 = x * b.zz;
    const Base s1 = y * b.zzz;
    const Base p = b.x * zz - u1;
    const Base r = b.y * zzz - s1;
    if (p.is_zero()) return *this = r.is_zero() ? doubled() : infinity();
    const Base pp = p.square();
    const Base ppp = p * pp;
    const Base q = u1 * pp;
    zz = zz * b.zz * pp;
    zzz = zzz * b.zzz * ppp;
    x = r.square() - ppp - q.doubled();
    y = r * (q - x) - s1 * ppp;
    return *this;
  }

  /// P + Q with an affine Q by madd-2008-s: 8M + 2S.
  constexpr Xyzz& operator+=(const Affine<G>& b) {
    if (b.is_infinity()) return *this;
    if (is_infinity()) return *this = from_affine(b);
    const Base p = b.x * zz - x;
    const Base r = b.y * zzz - y;
    if (p.is_zero()) return *this = r.is_zero() ? doubled(b) : infinity();
    const Base pp = p.square();
    const Base ppp = p * pp;
    const Base q = x * pp;
    zz *= pp;
    zzz *= ppp;
    x = r.square() - ppp - q.doubled();
    y = r * (q - x) - y * ppp;
    return *this;
  }

  friend constexpr Xyzz operator+(Xyzz a, const Xyzz& b) { return a += b; }
  friend constexpr Xyzz operator+(Xyzz a, const Affine<G>& b) { return a += b; }

  /// Equality of the points, whatever their representation: 4M.
  friend constexpr bool operator==(const Xyzz& a, const Xyzz& b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() == b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz;
  }

  /// One inversion, 3M + 1S: with ZZ = Z^2 and ZZZ = Z^3, 1/ZZ = (ZZ/ZZZ)^2. For many points see batch_to_affine().
  Affine<G> to_affine() const {
    if (is_infinity()) return Affine<G>::infinity();
    const Base i = zzz.inverse();
    return {x * (i * zz).square(), y * i};
  }
};

}  // namespace cuzk::arith
