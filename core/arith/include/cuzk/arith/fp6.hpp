#pragma once
/// The cubic extension in the middle of the pairing tower. Defined for both curves in tower.cpp.

#include <cuzk/arith/fp2.hpp>

namespace cuzk::arith {

/// Fp2[v]/(v^3 - xi): c0 + c1 v + c2 v^2. Montgomery form, standard layout. Costs in operations of Fp2: M, S, I.
template <class F>
struct Fp6 {
  using Fp2 = ::cuzk::arith::Fp2<F>;

  Fp2 c0, c1, c2;

  static constexpr Fp6 zero() { return {}; }
  static constexpr Fp6 one() { return {Fp2::one(), Fp2::zero(), Fp2::zero()}; }

  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }
  friend constexpr bool operator==(const Fp6& a, const Fp6& b) { return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2; }

  friend constexpr Fp6 operator+(const Fp6& a, const Fp6& b) { return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2}; }
  friend constexpr Fp6 operator-(const Fp6& a, const Fp6& b) { return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2}; }
  constexpr Fp6 operator-() const { return {-c0, -c1, -c2}; }
  constexpr Fp6 doubled() const { return {c0.doubled(), c1.doubled(), c2.doubled()}; }

  /// Karatsuba over three terms, 6M.
  friend Fp6 operator*(const Fp6& a, const Fp6& b) { return a.times(b); }
  /// By b0 + b1 v, 5M.
  Fp6 times(const Fp2& b0, const Fp2& b1) const;
  /// By b1 v, 3M.
  Fp6 times_v(const Fp2& b1) const;
  /// By an element of Fp2, 3M.
  friend Fp6 operator*(const Fp6& a, const Fp2& b) { return {a.c0 * b, a.c1 * b, a.c2 * b}; }

  /// CH-SQR2 of J. Chung, M. Hasan, "Asymmetric squaring formulae" (2007): 2M + 3S.
  Fp6 square() const;
  /// 9M + 3S + I; zero for zero.
  Fp6 inverse() const;
  /// Times v, the non-residue of the next floor.
  constexpr Fp6 times_v() const { return {mul_by_xi(c2), c0, c1}; }

 private:
  Fp6 times(const Fp6& b) const;
};

extern template struct Fp6<Bn254Fp>;
extern template struct Fp6<Bls12381Fp>;

}  // namespace cuzk::arith
