#pragma once
/// Points of both groups on the device.

#include "../field/carry.cuh"

namespace cuzk::cuda {

/// An affine point, coordinates in Montgomery form, infinity as x = y = 0: the layout of proving keys. F: Fe<...> or
/// Fe2<...>.
template <class F>
struct Affine {
  F x, y;
};

/// A point in extended Jacobian coordinates: x = X/ZZ, y = Y/ZZZ with ZZ^3 = ZZZ^2; infinity has ZZ = 0. The layout is
/// that of arith::Xyzz.
///
/// The laws are complete: operands may be equal, opposite or infinite. Formulas from the Explicit-Formulas Database,
/// g1p/auto-shortw-xyzz, with a = 0.
template <class F>
struct Xyzz {
  F x, y, zz, zzz;

  CUZK_DEVICE static Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
  CUZK_DEVICE bool is_infinity() const { return zz.is_zero(); }

  /// P + Q with an affine Q: madd-2008-s, 8M + 2S; 2Q by mdbl-2008-s-1, 4M + 3S. Q's coordinates are asked for where
  /// they are used, q.x() and q.y(), even twice where that is rare: to keep them would take registers from every
  /// addition.
  template <class Point>
  CUZK_DEVICE void add_affine(const Point& q) {
    F p = q.x();
    if (p.is_zero() && q.y().is_zero()) return;
    if (is_infinity()) {
      *this = {p, q.y(), F::one(), F::one()};
      return;
    }
    p *= zz;
    p -= x;
    if (p.is_zero()) {
      const Affine<F> other{q.x(), q.y()};
      *this = other.y * zzz == y ? doubled(other) : infinity();
      return;
    }
    const F pp = p.square();
    zz *= pp;
    x *= pp;
    p *= pp;
    F r = q.y();
    r *= zzz;
    r -= y;
    zzz *= p;
    y *= p;
    const F u = x;
    x = r.square();
    x -= p;
    x -= u.doubled();
    r *= u - x;
    y = r - y;
  }

  /// P + Q: add-2008-s, 12M + 2S.
  CUZK_DEVICE_CALL void add(const Xyzz& q) {
    if (q.is_infinity()) return;
    if (is_infinity()) {
      *this = q;
      return;
    }
    F u = x * q.zz;
    F s = y * q.zzz;
    F p = q.x * zz;
    p -= u;
    F r = q.y * zzz;
    r -= s;
    if (p.is_zero()) {
      if (r.is_zero()) {
        twice();
      } else {
        *this = infinity();
      }
      return;
    }
    const F pp = p.square();
    zz *= q.zz;
    zz *= pp;
    p *= pp;
    zzz *= q.zzz;
    zzz *= p;
    u *= pp;
    s *= p;
    x = r.square();
    x -= p;
    x -= u.doubled();
    r *= u - x;
    y = r - s;
  }

  /// 2P: dbl-2008-s-1, 6M + 3S.
  CUZK_DEVICE_CALL void twice() {
    const F u = y.doubled();
    const F v = u.square();
    const F w = u * v;
    const F s = x * v;
    const F xx = x.square();
    const F m = xx.doubled() + xx;
    x = m.square() - s.doubled();
    y *= w;
    y = m * (s - x) - y;
    zz *= v;
    zzz *= w;
  }

  /// n P by double-and-add from the top bit down.
  CUZK_DEVICE void multiply(unsigned n) {
    const Xyzz p = *this;
    *this = infinity();
    for (unsigned bit = 1U << 31; bit != 0; bit >>= 1) {
      if (bit > n) continue;
      twice();
      if ((n & bit) != 0) add(p);
    }
  }

 private:
  /// 2Q of an affine point: mdbl-2008-s-1.
  CUZK_DEVICE static Xyzz doubled(const Affine<F>& q) {
    const F u = q.y.doubled();
    const F v = u.square();
    const F w = u * v;
    const F s = q.x * v;
    const F xx = q.x.square();
    const F m = xx.doubled() + xx;
    const F x3 = m.square() - s.doubled();
    return {x3, m * (s - x3) - w * q.y, v, w};
  }
};

}  // namespace cuzk::cuda
