#pragma once
/// From the boundary's numbers to types, and from the engine's threads to ours.

#include "lanes.hpp"

#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/curves.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cpu {

/// body.template operator()<C>() with C the curve of that number.
template <class Body>
decltype(auto) with_curve(uint32_t curve, Body&& body) {
  switch (curve) {
    case CUZK_BN254:
      return body.template operator()<arith::Bn254>();
    case CUZK_BLS12_381:
      return body.template operator()<arith::Bls12381>();
    default:
      throw sdk::Error(CUZK_BAD_ARGUMENT, "curve " + std::to_string(curve) + ", expected 1 (bn254) or 2 (bls12-381)");
  }
}

/// The same with the group.
template <class Body>
decltype(auto) with_group(uint32_t curve, uint32_t group, Body&& body) {
  return with_curve(curve, [&]<class C>() -> decltype(auto) {
    switch (group) {
      case CUZK_G1:
        return body.template operator()<typename C::G1>();
      case CUZK_G2:
        return body.template operator()<typename C::G2>();
      default:
        throw sdk::Error(CUZK_BAD_ARGUMENT, "group " + std::to_string(group) + ", expected 1 (G1) or 2 (G2)");
    }
  });
}

/// The engine's threads.
inline Parallel host_parallel() {
  return {[](void*, uint64_t n, void (*fn)(void*, uint64_t), void* arg) {
            sdk::host().parallel(n, [=](uint64_t i) { fn(arg, i); });
          },
          nullptr};
}

/// Throws unless `memory` has so many bytes, suitably placed for the library's own structures.
inline void require_memory(const cuzk_mem& memory, uint64_t bytes, const char* what) {
  if (memory.bytes < bytes) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, std::string(what) + ": found " + std::to_string(memory.bytes) +
                                            " bytes, expected " + std::to_string(bytes));
  }
  if (bytes != 0 && (memory.data == nullptr || reinterpret_cast<uintptr_t>(memory.data) % 64 != 0)) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, std::string(what) + ": null or not aligned to 64 bytes");
  }
}

}  // namespace cuzk::cpu
