#pragma once
/// Affine points.

namespace cuzk::arith {

/// A point of the group G in affine coordinates, Montgomery form, infinity as x = y = 0: the layout of proving keys in
/// memory and of the plugin interface. Trivially copyable, 2 * sizeof(Base) bytes without padding.
///
/// G is a trait class (Bn254::G1, Bn254::G2, Bls12381::G1, Bls12381::G2) with
///   Curve, Base (the coordinates' field), Scalar (Fr),
///   static constexpr Base b(), the constant of y^2 = x^3 + b,
///   static constexpr Affine<G> generator().
template <class G>
struct Affine {
  using Base = typename G::Base;

  Base x, y;

  static constexpr Affine infinity() { return {Base::zero(), Base::zero()}; }
  constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }

  friend constexpr bool operator==(const Affine& a, const Affine& b) { return a.x == b.x && a.y == b.y; }
  constexpr Affine operator-() const { return {x, -y}; }

  /// True for infinity and where y^2 = x^3 + b. 3 products of the prime field on G1, 6 on G2: see square_minus_cube().
  /// Says nothing about the subgroup: see in_subgroup().
  constexpr bool on_curve() const { return is_infinity() || square_minus_cube(y, x) == G::b(); }
};

}  // namespace cuzk::arith
