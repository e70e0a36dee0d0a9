#include "groth16/assemble.hpp"

#include <cstring>

#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::groth16 {
namespace {

template <class G>
arith::Xyzz<G> sum(const Points& points, QueryId id) {
  auto total = arith::Xyzz<G>::infinity();
  for (const PointBytes& one : points[static_cast<size_t>(id)]) {
    arith::Affine<G> point;
    static_assert(sizeof point <= sizeof one.bytes);
    std::memcpy(&point, one.bytes.data(), sizeof point);
    total += point;
  }
  return total;
}

template <class C>
ProofOf<C> assemble_on(const VerifyingKeyOf<C>& key, const BlindingPointsOf<C>& blinding, const Points& points,
                       const RandomSource& random) {
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const Fr r = Fr::from_canonical(random_scalar(random, Fr::modulus()));
  const Fr s = Fr::from_canonical(random_scalar(random, Fr::modulus()));

  const auto a = (sum<G1>(points, QueryId::a) + key.alpha1 + arith::scalar_mul(blinding.delta1, r)).to_affine();
  const auto b = (sum<G2>(points, QueryId::b2) + key.beta2 + arith::scalar_mul(key.delta2, s)).to_affine();
  const auto b1 = (sum<G1>(points, QueryId::b1) + blinding.beta1 + arith::scalar_mul(blinding.delta1, s)).to_affine();
  const auto c = arith::scalar_mul(a, s) + arith::scalar_mul(b1, r) + arith::scalar_mul(blinding.delta1, -(r * s)) +
                 sum<G1>(points, QueryId::h) + sum<G1>(points, QueryId::l);
  return {a, c.to_affine(), b};
}

}  // namespace

Proof assemble(const ProvingKey& key, const Points& points, const RandomSource& random) {
  return with_curve(key.shape.curve, [&]<class C>(std::type_identity<C>) -> Proof {
    return assemble_on<C>(std::get<VerifyingKeyOf<C>>(key.verifying_key), std::get<BlindingPointsOf<C>>(key.blinding),
                          points, random);
  });
}

}  // namespace cuzk::groth16
