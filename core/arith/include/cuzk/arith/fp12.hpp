#pragma once
/// The top of the pairing tower; the target group lives in it. Defined for both curves in tower.cpp.

#include <cstdint>
#include <span>

#include <cuzk/arith/fp6.hpp>

namespace cuzk::arith {

/// Fp6[w]/(w^2 - v): c0 + c1 w. Montgomery form, standard layout. Costs in operations of Fp2: M, S, I.
template <class F>
struct Fp12 {
  using Fp2 = ::cuzk::arith::Fp2<F>;
  using Fp6 = ::cuzk::arith::Fp6<F>;

  Fp6 c0, c1;

  static constexpr Fp12 zero() { return {}; }
  static constexpr Fp12 one() { return {Fp6::one(), Fp6::zero()}; }

  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  constexpr bool is_one() const { return *this == one(); }
  friend constexpr bool operator==(const Fp12& a, const Fp12& b) { return a.c0 == b.c0 && a.c1 == b.c1; }

  friend constexpr Fp12 operator+(const Fp12& a, const Fp12& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend constexpr Fp12 operator-(const Fp12& a, const Fp12& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  constexpr Fp12 operator-() const { return {-c0, -c1}; }

  /// Karatsuba, 18M.
  friend Fp12 operator*(const Fp12& a, const Fp12& b) { return a.times(b); }
  Fp12& operator*=(const Fp12& b) { return *this = *this * b; }
  /// By a0 + b0 w + b1 w v, the lines of a D-type twist: 13M.
  Fp12 times_line_d(const Fp2& a0, const Fp2& b0, const Fp2& b1) const;
  /// By a0 + a1 v + b1 w v, the lines of an M-type twist: 13M.
  Fp12 times_line_m(const Fp2& a0, const Fp2& a1, const Fp2& b1) const;

  /// Complex squaring, 12M.
  Fp12 square() const;
  /// Squares an element of the cyclotomic subgroup (order p^4 - p^2 + 1), else meaningless: 9S. R. Granger, M. Scott,
  /// "Faster squaring in the cyclotomic subgroup of sixth degree extensions" (2010).
  Fp12 cyclotomic_square() const;
  /// c0 - c1 w, the p^6-power Frobenius: the inverse in the cyclotomic subgroup.
  constexpr Fp12 conjugate() const { return {c0, -c1}; }
  /// One inversion in F; zero for zero.
  Fp12 inverse() const;
  /// this^(p^power), power 1, 2 or 3: 5M, or 10 products in F where power is 2.
  Fp12 frobenius(unsigned power) const;
  /// Exponent: plain, little-endian 64-bit limbs, any length. Variable time.
  Fp12 pow(std::span<const std::uint64_t> exponent) const;

 private:
  Fp12 times(const Fp12& b) const;
};

extern template struct Fp12<Bn254Fp>;
extern template struct Fp12<Bls12381Fp>;

}  // namespace cuzk::arith
