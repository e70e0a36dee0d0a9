#include "wnaf.hpp"

#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::arith {

template <class G>
Xyzz<G> scalar_mul(const Affine<G>& point, std::span<const std::uint64_t> scalar) {
  if (point.is_infinity()) return Xyzz<G>::infinity();
  const wnaf::Term<G> term{wnaf::digits(scalar), wnaf::odd_multiples(point)};
  return wnaf::sum<G>({&term, 1});
}

template Xyzz<Bn254::G1> scalar_mul(const Affine<Bn254::G1>&, std::span<const std::uint64_t>);
template Xyzz<Bn254::G2> scalar_mul(const Affine<Bn254::G2>&, std::span<const std::uint64_t>);
template Xyzz<Bls12381::G1> scalar_mul(const Affine<Bls12381::G1>&, std::span<const std::uint64_t>);
template Xyzz<Bls12381::G2> scalar_mul(const Affine<Bls12381::G2>&, std::span<const std::uint64_t>);

}  // namespace cuzk::arith
