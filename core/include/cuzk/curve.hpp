#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

enum class Curve : uint32_t { bn254 = CUZK_BN254, bls12_381 = CUZK_BLS12_381 };
enum class Group : uint32_t { g1 = CUZK_G1, g2 = CUZK_G2 };

/// "bn254", "bls12-381": cuzk's own names. snarkjs's ("bn128", "bls12381") live with the JSON formats.
constexpr std::string_view name(Curve curve) { return curve == Curve::bn254 ? "bn254" : "bls12-381"; }
constexpr std::string_view name(Group group) { return group == Group::g1 ? "G1" : "G2"; }

constexpr size_t kFrBytes = 32;  ///< both scalar fields have four limbs
constexpr size_t fp_bytes(Curve curve) { return curve == Curve::bn254 ? 32 : 48; }
/// Bytes of one affine point: x, y, each Fp (G1) or Fp2 (G2).
constexpr size_t point_bytes(Curve curve, Group group) { return fp_bytes(curve) * (group == Group::g1 ? 2 : 4); }

}  // namespace cuzk
