#pragma once
/// From curve and group numbers to types.

#include <cuzk/arith/curves.hpp>
#include <cuzk/curve.hpp>

namespace cuzk::conformance {

template <class Body>
void on_curve(Curve curve, Body&& body) {
  if (curve == Curve::bn254) {
    body.template operator()<arith::Bn254>();
  } else {
    body.template operator()<arith::Bls12381>();
  }
}

template <class Body>
void on_group(Curve curve, Group group, Body&& body) {
  on_curve(curve, [&]<class C>() {
    if (group == Group::g1) {
      body.template operator()<typename C::G1>();
    } else {
      body.template operator()<typename C::G2>();
    }
  });
}

/// The number of G's group at the boundary.
template <class G>
constexpr uint32_t kGroupId = sizeof(typename G::Base) == sizeof(typename G::Curve::Fp) ? CUZK_G1 : CUZK_G2;

}  // namespace cuzk::conformance
