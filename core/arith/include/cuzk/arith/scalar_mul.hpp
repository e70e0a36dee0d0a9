#pragma once
/// Multiples of single points. Defined for the four groups in scalar_mul.cpp.

#include <array>
#include <cstdint>
#include <span>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// scalar * point for any point on the curve, also outside the subgroup, and any plain (not Montgomery) integer in
/// little-endian 64-bit limbs, of any length: it is not reduced. Signed windows of five bits over eight odd multiples
/// (width-5 NAF): per bit one Jacobian doubling, per six bits one mixed addition. Variable time.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, std::span<const std::uint64_t> scalar);

/// The same for four limbs, any 256-bit integer.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, const std::array<std::uint64_t, 4>& scalar) {
  return scalar_mul(point, std::span<const std::uint64_t>(scalar));
}

/// The same with the scalar a field element.
template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, const typename G::Scalar& scalar) {
  return scalar_mul(point, scalar.to_canonical());
}

}  // namespace cuzk::arith
