#pragma once
/// The curves of the boundary.

#include "../field/params.hpp"
#include "plan.hpp"

#include <cstdint>
#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/ntt_domain.hpp>

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

}  // namespace cuzk::cuda::ntt
