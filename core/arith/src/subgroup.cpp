#include <cuzk/arith/endomorphism.hpp>
#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/arith/subgroup.hpp>

namespace cuzk::arith {
namespace {

/// x * point with the curve's signed parameter x.
template <class G>
Affine<G> times_parameter(const Affine<G>& point) {
  using C = typename G::Curve;
  const std::uint64_t magnitude = C::kX;
  const Affine<G> product = scalar_mul<G>(point, std::span(&magnitude, 1)).to_affine();
  return C::kXIsNegative ? -product : product;
}

}  // namespace

template <>
bool in_subgroup(const Affine<Bn254::G1>& point) {
  return point.on_curve();
}

template <>
bool in_subgroup(const Affine<Bls12381::G1>& point) {
  return point.on_curve() && phi(phi(point)) == -times_parameter(times_parameter(point));
}

template <>
bool in_subgroup(const Affine<Bls12381::G2>& point) {
  return point.on_curve() && psi<Bls12381>(point) == times_parameter(point);
}

template <>
bool in_subgroup(const Affine<Bn254::G2>& point) {
  using Point = Xyzz<Bn254::G2>;
  if (!point.on_curve()) return false;
  const auto x_point = times_parameter(point);
  const auto psi1 = psi<Bn254>(x_point);
  const auto psi2 = psi<Bn254>(psi1);
  const auto psi3 = psi<Bn254>(psi2);
  return Point::from_affine(x_point) + point + psi1 + psi2 == Point::doubled(psi3);
}

}  // namespace cuzk::arith
