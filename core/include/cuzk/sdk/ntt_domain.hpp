#pragma once
#include <cstdint>
#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/error.hpp>

namespace cuzk::sdk {

/// x^(2^squarings).
template <class Fr>
Fr repeated_square(Fr x, uint32_t squarings) {
  for (; squarings > 0; --squarings) x = x.square();
  return x;
}

/// The field elements of a domain that crossed the boundary, in Montgomery form. Fr: the scalar field of its curve,
/// cuzk::arith's or one with the same members. Error CUZK_BAD_ARGUMENT where they are none, do not fit the domain's
/// size, or it is larger than 2^most_log2.
template <class Fr>
struct NttDomain {
  Fr omega, shift, z_inverse;

  NttDomain(const cuzk_domain& domain, uint32_t most_log2)
      : omega(element(domain.omega, "omega")),
        shift(element(domain.shift, "shift")),
        z_inverse(element(domain.z_inverse, "z_inverse")) {
    if (domain.log2_size > most_log2) {
      bad("domain of 2^" + std::to_string(domain.log2_size) + ", expected at most 2^" + std::to_string(most_log2));
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
  [[noreturn]] static void bad(const std::string& what) { throw Error(CUZK_BAD_ARGUMENT, what); }
  static Fr element(const cuzk_fr& value, const char* name) {
    const typename Fr::Limbs limbs{value.limb[0], value.limb[1], value.limb[2], value.limb[3]};
    if (!Fr::is_reduced(limbs)) bad(std::string(name) + " is not below the field's modulus");
    return Fr::from_raw(limbs);
  }
};

}  // namespace cuzk::sdk
