#pragma once
/// Operands: the same on every machine.

#include "site.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::bench {

template <class F>
F random_element(std::mt19937_64& random) {
  typename F::Limbs limbs;
  for (uint64_t& limb : limbs) limb = random();
  limbs.back() &= ~uint64_t{0} >> (65 - F::kBits % 64);  // one bit shorter than the modulus
  return F::from_raw(limbs);
}

template <class C>
cuzk_domain domain_of(unsigned log2_size) {
  using Fr = typename C::Fr;
  typename Fr::Limbs exponent = Fr::Constants::kMinusOne;
  for (unsigned i = 0; i < log2_size; ++i) exponent = arith::limbs::shift_right(exponent, 1);
  const Fr omega = Fr::from_u64(5).pow(exponent), shift = Fr::from_u64(7), one = Fr::one();
  cuzk_domain domain{};
  domain.curve = C::kId;
  domain.log2_size = log2_size;
  domain.h_basis = CUZK_H_COSET_LAGRANGE;
  std::copy_n(omega.limb.begin(), 4, domain.omega.limb);
  std::copy_n(shift.limb.begin(), 4, domain.shift.limb);
  std::copy_n(one.limb.begin(), 4, domain.z_inverse.limb);
  return domain;
}

/// 1, 2, 3, ... times the generator, at least `count`; kept for the next call.
template <class G>
const std::vector<arith::Affine<G>>& multiples(CpuPool& cpu, size_t count) {
  static std::vector<arith::Affine<G>> points;
  if (points.size() >= count) return points;
  points.resize(count);
  constexpr size_t kBlock = size_t{1} << 12;
  cpu.parallel((count + kBlock - 1) / kBlock, [&](uint64_t block) {
    const size_t first = block * kBlock, size = std::min(kBlock, count - first);
    std::vector<arith::Xyzz<G>> sums(size);
    auto sum = arith::scalar_mul(G::generator(), std::array<uint64_t, 4>{first});
    for (auto& one : sums) one = sum += G::generator();
    arith::batch_to_affine<G>(sums, std::span(points).subspan(first, size));
  });
  return points;
}

/// Plain integers below r: uniform, or like a witness, 95 % of them 0 or 1.
template <class Fr>
std::vector<typename Fr::Limbs> scalars(size_t count, bool witness) {
  std::mt19937_64 random(2);
  std::vector<typename Fr::Limbs> values(count);
  for (auto& value : values) {
    const uint64_t kind = random() % 100;
    value = witness && kind < 95 ? typename Fr::Limbs{kind % 2} : random_element<Fr>(random).to_canonical();
  }
  return values;
}

/// sum of scalars[i] * (i + 1) * G: what an MSM over multiples() must give.
template <class G>
arith::Affine<G> known_sum(const std::vector<typename G::Scalar::Limbs>& scalars) {
  using Fr = typename G::Scalar;
  Fr sum = Fr::zero();
  for (size_t i = 0; i < scalars.size(); ++i) sum += Fr::from_canonical(scalars[i]) * Fr::from_u64(i + 1);
  const arith::Xyzz<G> point = arith::scalar_mul(G::generator(), sum);
  arith::Affine<G> out;
  arith::batch_to_affine<G>(std::span(&point, 1), std::span(&out, 1));
  return out;
}

}  // namespace cuzk::bench
