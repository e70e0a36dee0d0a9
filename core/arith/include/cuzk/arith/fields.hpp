#pragma once
/// The prime fields of the two curves.

#include <cuzk/arith/field.hpp>

namespace cuzk::arith {

/// BN254 (alt_bn128), group order: 0x30644e72…f0000001.
struct Bn254FrParams {
  static constexpr const char* kName = "BN254 Fr";
  static constexpr std::size_t kLimbs = 4;
  static constexpr LimbArray<kLimbs> kModulus{0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d,
                                              0x30644e72e131a029};
  static constexpr std::uint64_t kNonResidue = 5;
};

/// BN254 (alt_bn128), base field: 0x30644e72…d87cfd47.
struct Bn254FpParams {
  static constexpr const char* kName = "BN254 Fp";
  static constexpr std::size_t kLimbs = 4;
  static constexpr LimbArray<kLimbs> kModulus{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d,
                                              0x30644e72e131a029};
  static constexpr std::uint64_t kNonResidue = 3;
};

/// BLS12-381, group order: 0x73eda753…00000001.
struct Bls12381FrParams {
  static constexpr const char* kName = "BLS12-381 Fr";
  static constexpr std::size_t kLimbs = 4;
  static constexpr LimbArray<kLimbs> kModulus{0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805,
                                              0x73eda753299d7d48};
  static constexpr std::uint64_t kNonResidue = 5;
};

/// BLS12-381, base field: 0x1a0111ea…ffffaaab.
struct Bls12381FpParams {
  static constexpr const char* kName = "BLS12-381 Fp";
  static constexpr std::size_t kLimbs = 6;
  static constexpr LimbArray<kLimbs> kModulus{0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
                                              0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a};
  static constexpr std::uint64_t kNonResidue = 2;
};

using Bn254Fr = Field<Bn254FrParams>;
using Bn254Fp = Field<Bn254FpParams>;
using Bls12381Fr = Field<Bls12381FrParams>;
using Bls12381Fp = Field<Bls12381FpParams>;

}  // namespace cuzk::arith
