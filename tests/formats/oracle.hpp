#pragma once
/// Slow, independent arithmetic on whole integers, for comparison.

#include "support.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/curve.hpp>

namespace cuzk::test {

using Int = boost::multiprecision::cpp_int;

/// r and the q of a curve, written out.
inline Int scalar_prime(Curve curve) {
  return curve == Curve::bn254 ? Int("21888242871839275222246405745257275088548364400416034343698204186575808495617")
                               : Int("52435875175126190479447740508185965837690552500527637822603658699938581184513");
}
inline Int base_prime(Curve curve) {
  return curve == Curve::bn254 ? Int("21888242871839275222246405745257275088696311157297823662689037894645226208583")
                               : Int("40024095552216673934178986985250216948704155307886702018927871055758136"
                                     "0255977470168206180704005904186687103163777579466859");
}

/// A little-endian number in memory.
inline Int to_int(const void* at, size_t bytes) {
  const auto* begin = static_cast<const unsigned char*>(at);
  Int value;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | begin[i];
  return value;
}
inline Int to_int(const cuzk_fr& value) { return to_int(value.limb, sizeof value.limb); }

/// 2^256 mod r, what Montgomery form multiplies by.
inline Int montgomery_r(Curve curve) { return (Int(1) << 256) % scalar_prime(curve); }
inline Int inverse(const Int& value, const Int& prime) { return powm(value, prime - 2, prime); }

/// The plain value of limbs in Montgomery form.
inline Int from_montgomery(const cuzk_fr& value, Curve curve) {
  return to_int(value) * inverse(montgomery_r(curve), scalar_prime(curve)) % scalar_prime(curve);
}

}  // namespace cuzk::test
