#pragma once
/// The constants of the device fields, all derived at compile time from cuzk::arith's moduli.

#include <cstddef>
#include <cstdint>

#include <cuzk/arith/fields.hpp>

namespace cuzk::cuda {

/// Little-endian 32-bit words.
template <size_t N>
struct Words {
  uint32_t at[N];
};

/// A is the parameter struct of an arith::Field. R = 2^(32 kLimbs32), the same R as on the host, so that elements have
/// the same bytes.
template <class A>
struct FieldParams {
  using Host = arith::Field<A>;
  static constexpr size_t kLimbs32 = 2 * A::kLimbs;

 private:
  using Constants = arith::MontgomeryConstants<A>;
  static constexpr Words<kLimbs32> split(const arith::LimbArray<A::kLimbs>& limbs) {
    Words<kLimbs32> r{};
    for (size_t i = 0; i < A::kLimbs; ++i) {
      r.at[2 * i] = static_cast<uint32_t>(limbs[i]);
      r.at[2 * i + 1] = static_cast<uint32_t>(limbs[i] >> 32);
    }
    return r;
  }
  static constexpr arith::LimbArray<A::kLimbs> modulus_minus_two() {
    arith::LimbArray<A::kLimbs> r{};
    arith::limbs::sub(r, A::kModulus, arith::LimbArray<A::kLimbs>{2});
    return r;
  }

 public:
  static constexpr Words<kLimbs32> kModulus = split(A::kModulus);
  static constexpr Words<kLimbs32> kModulusMinusTwo = split(modulus_minus_two());
  static constexpr Words<kLimbs32> kOne = split(Constants::kR);                          ///< R mod p
  static constexpr Words<kLimbs32> kR2 = split(Constants::kR2);                          ///< R^2 mod p
  static constexpr uint32_t kInv = static_cast<uint32_t>(Constants::negated_inverse());  ///< -p^-1 mod 2^32
};

using Bn254Fr = FieldParams<arith::Bn254FrParams>;
using Bn254Fp = FieldParams<arith::Bn254FpParams>;
using Bls12381Fr = FieldParams<arith::Bls12381FrParams>;
using Bls12381Fp = FieldParams<arith::Bls12381FpParams>;

}  // namespace cuzk::cuda
