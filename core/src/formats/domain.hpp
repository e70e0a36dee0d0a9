#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/curves.hpp>

namespace cuzk::formats {

template <class Fr>
inline constexpr uint32_t kTwoAdicity = static_cast<uint32_t>(arith::limbs::trailing_zeros(Fr::Constants::kMinusOne));

/// The root of unity of order 2^log2 that comes from a quadratic non-residue: base^((r - 1) / 2^log2).
/// log2 <= kTwoAdicity.
template <class Fr>
Fr root_from(uint64_t base, uint32_t log2) {
  Fr root = Fr::from_u64(base).pow(arith::limbs::shift_right(Fr::Constants::kMinusOne, kTwoAdicity<Fr>));
  for (uint32_t order = kTwoAdicity<Fr>; order > log2; --order) root = root.square();
  return root;
}

/// snarkjs takes the root from 5.
template <class Fr>
Fr snarkjs_root(uint32_t log2) {
  return root_from<Fr>(5, log2);
}

/// The domain of a snarkjs key. The coset is shifted by the root of the doubled domain, by 25 where the field has none.
template <class C>
cuzk_domain snarkjs_domain(uint32_t log2) {
  using Fr = typename C::Fr;
  const auto to_abi = [](const Fr& value) { return std::bit_cast<cuzk_fr>(value.limb); };
  cuzk_domain domain{};
  domain.curve = C::kId;
  domain.log2_size = log2;
  domain.h_basis = CUZK_H_COSET_LAGRANGE;
  domain.omega = to_abi(snarkjs_root<Fr>(log2));
  domain.shift = to_abi(log2 < kTwoAdicity<Fr> ? snarkjs_root<Fr>(log2 + 1) : Fr::from_u64(25));
  domain.z_inverse = to_abi(Fr::one());
  return domain;
}

/// The domain of a bellman key: the root from 7, which also shifts the coset; h in powers of tau.
template <class C>
cuzk_domain bellman_domain(uint32_t log2) {
  using Fr = typename C::Fr;
  const auto to_abi = [](const Fr& value) { return std::bit_cast<cuzk_fr>(value.limb); };
  constexpr uint64_t kBase = 7;
  Fr top = Fr::from_u64(kBase);  // 7^n
  for (uint32_t i = 0; i < log2; ++i) top = top.square();
  cuzk_domain domain{};
  domain.curve = C::kId;
  domain.log2_size = log2;
  domain.h_basis = CUZK_H_MONOMIAL;
  domain.omega = to_abi(root_from<Fr>(kBase, log2));
  domain.shift = to_abi(Fr::from_u64(kBase));
  domain.z_inverse = to_abi((top - Fr::one()).inverse());
  return domain;
}

}  // namespace cuzk::formats
