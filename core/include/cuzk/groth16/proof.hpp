#pragma once
#include <variant>
#include <vector>

#include <cuzk/arith/curves.hpp>
#include <cuzk/curve.hpp>

namespace cuzk {

template <class C>
struct ProofOf {
  using CurveType = C;
  arith::Affine<typename C::G1> a, c;
  arith::Affine<typename C::G2> b;
};
using Proof = std::variant<ProofOf<arith::Bn254>, ProofOf<arith::Bls12381>>;

template <class C>
struct VerifyingKeyOf {
  using CurveType = C;
  arith::Affine<typename C::G1> alpha1;
  arith::Affine<typename C::G2> beta2, gamma2, delta2;
  std::vector<arith::Affine<typename C::G1>> ic;  ///< one, then the public signals
};
using VerifyingKey = std::variant<VerifyingKeyOf<arith::Bn254>, VerifyingKeyOf<arith::Bls12381>>;

/// Public signals: canonical, little-endian limbs, without the leading one.
using PublicSignals = std::vector<cuzk_fr>;

inline Curve curve_of(const Proof& proof) { return proof.index() == 0 ? Curve::bn254 : Curve::bls12_381; }
inline Curve curve_of(const VerifyingKey& key) { return key.index() == 0 ? Curve::bn254 : Curve::bls12_381; }

/// Runs f with the arithmetic type of the curve: f(std::type_identity<arith::Bn254>{}) or the like.
template <class F>
decltype(auto) with_curve(Curve curve, F&& f) {
  return curve == Curve::bn254 ? f(std::type_identity<arith::Bn254>{}) : f(std::type_identity<arith::Bls12381>{});
}

}  // namespace cuzk
