#pragma once
/// Membership tests of the groups of prime order r. Defined for the four groups in subgroup.cpp.

#include <cuzk/arith/curves.hpp>

namespace cuzk::arith {

/// Whether the point is on the curve and r times it is infinity (infinity itself is in the subgroup). Every criterion
/// below is exact for all points on the curve, and costs a product with x (64 bits) or two:
///   BN254 G1       on_curve(), the group has prime order.
///   BLS12-381 G1   phi^2(P) = -x^2 P: S. Bowe, "Faster subgroup checks for BLS12-381" (2019), and M. Scott, "A note on
///                  group membership tests for G1, G2 and GT on BLS pairing-friendly curves" (2021), section 6.
///   BLS12-381 G2   psi(Q) = x Q: Scott, section 4.
///   BN254 G2       (x + 1) Q + psi(x Q) + psi^2(x Q) = psi^3(2x Q): Y. Dai, K. Lin, C.-A. Zhao, Z. Zhou, "Fast
///   subgroup
///                  membership testings for G1, G2 and GT on pairing-friendly curves" (2022), section 4.2.
/// Variable time; any thread.
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
