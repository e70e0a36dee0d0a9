#pragma once
/// The boundary's domain, checked.

#include "../field/params.hpp"
#include "plan.hpp"
#include "tables.hpp"

#include <cstdint>
#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda::ntt {

[[noreturn]] inline void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

/// The scalar field of a curve, on the host and as constants for the device.
struct Bn254 {
  using Host = arith::Bn254Fr;
  using Device = Bn254Fr;
  static constexpr uint32_t kId = CUZK_BN254;
  static constexpr const char* kName = "bn254";
};
struct Bls12381 {
  using Host = arith::Bls12381Fr;
  using Device = Bls12381Fr;
  static constexpr uint32_t kId = CUZK_BLS12_381;
  static constexpr const char* kName = "bls12-381";
};

/// body.template operator()<C>() with C the curve of that number.
template <class Body>
decltype(auto) with_curve(uint32_t curve, Body&& body) {
  switch (curve) {
    case CUZK_BN254:
      return body.template operator()<Bn254>();
    case CUZK_BLS12_381:
      return body.template operator()<Bls12381>();
    default:
      bad("curve " + std::to_string(curve) + ", expected 1 (bn254) or 2 (bls12-381)");
  }
}

/// The domain's field elements, or an error where they are none or do not fit its size.
template <class Fr>
struct Domain {
  Fr omega, shift, z_inverse;

  explicit Domain(const cuzk_domain& domain)
      : omega(element(domain.omega, "omega")),
        shift(element(domain.shift, "shift")),
        z_inverse(element(domain.z_inverse, "z_inverse")) {
    if (domain.log2_size > kMaxLog2Size) {
      bad("domain of 2^" + std::to_string(domain.log2_size) + ", expected at most 2^" + std::to_string(kMaxLog2Size));
    }
    if (domain.h_basis != CUZK_H_MONOMIAL && domain.h_basis != CUZK_H_COSET_LAGRANGE) {
      bad("h basis " + std::to_string(domain.h_basis) + ", expected 0 (monomial) or 1 (coset Lagrange)");
    }
    const bool primitive =
        domain.log2_size == 0 ? omega == Fr::one() : repeated_square(omega, domain.log2_size - 1) == -Fr::one();
    if (!primitive) bad("omega is no primitive root of unity of order 2^" + std::to_string(domain.log2_size));
    if (shift.is_zero() || z_inverse.is_zero()) bad("the coset's shift or 1/Z is zero");
  }

 private:
  static Fr element(const cuzk_fr& value, const char* name) {
    const typename Fr::Limbs limbs{value.limb[0], value.limb[1], value.limb[2], value.limb[3]};
    if (!Fr::is_reduced(limbs)) bad(std::string(name) + " is not below the field's modulus");
    return Fr::from_raw(limbs);
  }
};

}  // namespace cuzk::cuda::ntt
