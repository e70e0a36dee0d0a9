#pragma once
/// Multiples of single points, defined for the four groups in scalar_mul.cpp.

#include <array>
#include <cstdint>
#include <span>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// A scalar as a plain (not Montgomery) integer, little-endian 64-bit limbs.
using ScalarLimbs = std::array<std::uint64_t, 4>;

/// scalar * point for any point on the curve, also outside the subgroup, and any 256-bit scalar: it is not reduced.
/// Signed windows of 5 bits over 8 odd multiples (width-5 NAF). Variable time: not for scalars an observer of the clock
/// must not learn.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, const ScalarLimbs& scalar);

/// The same for |scalar| of any number of limbs.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, std::span<const std::uint64_t> scalar);

/// The same with the scalar a field element.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, const typename G::Scalar& scalar) {
  return scalar_mul(point, scalar.to_canonical());
}

}  // namespace cuzk::arith
