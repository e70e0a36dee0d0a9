#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/limbs.hpp>

namespace cuzk::groth16 {

/// A sum of coefficient x canonical witness value. Where the value is 0 or 1, as most are in practice, the coefficient
/// is only added; the other terms are one Montgomery product each. The two parts differ by a factor R, which one more
/// product brings back at the end.
template <class Fr>
class RowSum {
 public:
  void add(const Fr& coefficient, const cuzk_fr& value) {
    const auto& [l0, l1, l2, l3] = value.limb;
    if ((l1 | l2 | l3) == 0 && l0 <= 1) {
      ones_ += Fr::from_raw(arith::limbs::select(~l0 + 1, coefficient.limb, typename Fr::Limbs{}));
    } else {
      products_ += coefficient * Fr::from_raw({l0, l1, l2, l3});
    }
  }
  /// The sum where the coefficients were in Montgomery form.
  Fr of_montgomery() const { return products_.is_zero() ? ones_ : ones_ + Fr::from_canonical(products_.limb); }
  /// The sum where the coefficients were scaled, to coefficient R^2, as a .zkey stores them.
  Fr of_scaled() const { return ones_.is_zero() ? products_ : products_ + ones_ * Fr::from_raw({1}); }

 private:
  Fr ones_, products_;
};

}  // namespace cuzk::groth16
