#pragma once
/// The ring operations on raw limbs, each choosing the best code the running CPU has. Outputs may alias inputs.

#include <cuzk/arith/montgomery.hpp>

namespace cuzk::arith::kernels {

template <class P>
constexpr void add(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
  limbs::add(r, a, b);
  r = portable::reduce_once<P>(r);
}

template <class P>
constexpr void sub(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
  const std::uint64_t borrow = limbs::sub(r, a, b);
  limbs::add(r, r, limbs::select(~borrow + 1, P::kModulus, LimbArray<P::kLimbs>{}));
}

template <class P>
constexpr void neg(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a) {
  const std::uint64_t keep = limbs::is_zero(a) ? 0 : ~std::uint64_t{0};
  limbs::sub(r, limbs::select(keep, P::kModulus, LimbArray<P::kLimbs>{}), a);
}

template <class P>
constexpr void mul(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
  r = portable::mul<P>(a, b);
}

template <class P>
constexpr void sqr(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a) {
  r = portable::mul<P>(a, a);
}

template <class P>
constexpr void sum_of_products(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b,
                               const LimbArray<P::kLimbs>& c, const LimbArray<P::kLimbs>& d) {
  r = portable::sum_of_products<P>(a, b, c, d);
}

}  // namespace cuzk::arith::kernels
