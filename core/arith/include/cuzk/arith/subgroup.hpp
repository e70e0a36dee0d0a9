#pragma once
/// Membership tests of the groups of prime order r. Defined for the four groups in subgroup.cpp.

#include <cuzk/arith/curves.hpp>

namespace cuzk::arith {

/// Whether the point is on the curve and r times it is infinity (infinity itself is in the subgroup). Every criterion
/// is exact for all points on the curve; x is the curve's parameter, phi and psi are those of endomorphism.hpp.
/// - BN254 G1: on_curve(), as the group has prime order.
/// - BLS12-381 G1: phi^2(P) = -x^2 P. S. Bowe, "Faster subgroup checks for BLS12-381" (2019); M. Scott, "A note on
/// group
///   membership tests for G1, G2 and GT on BLS pairing-friendly curves" (2021).
/// - BLS12-381 G2: psi(Q) = x Q. Scott, as above.
/// - BN254 G2: (x + 1) Q + psi(x Q) + psi^2(x Q) = psi^3(2x Q). Y. Dai, K. Lin, C.-A. Zhao, Z. Zhou, "Fast subgroup
///   membership testings for G1, G2 and GT on pairing-friendly curves" (2022).
///
/// Products with the 64-bit x make up the cost: none, two, one and one. Variable time; any thread.
template <class G>
bool in_subgroup(const Affine<G>& point);

template <>
bool in_subgroup(const Affine<Bn254::G1>& point);
template <>
bool in_subgroup(const Affine<Bn254::G2>& point);
template <>
bool in_subgroup(const Affine<Bls12381::G1>& point);
template <>
bool in_subgroup(const Affine<Bls12381::G2>& point);

}  // namespace cuzk::arith
