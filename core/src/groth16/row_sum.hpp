#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/limbs.hpp>

namespace cuzk::groth16 {

/// A sum of coefficient x witness value. A coefficient is scaled to coefficient R^2: its Montgomery product with a
/// plain value is Montgomery(coefficient value). Where the value is 0 or 1, as most are in practice, the coefficient is
/// only added, and one product serves all of them.
template <class Fr>
class RowSum {
 public:
  /// Of a coefficient in Montgomery form.
  static Fr scaled(const Fr& coefficient) { return coefficient * Fr::from_raw(Fr::Constants::kR2); }

  /// value: canonical.
  void add(const Fr& scaled_coefficient, const cuzk_fr& value) {
    const auto& [l0, l1, l2, l3] = value.limb;
    if ((l1 | l2 | l3) == 0 && l0 <= 1) {
      ones_ += Fr::from_raw(arith::limbs::select(~l0 + 1, scaled_coefficient.limb, typename Fr::Limbs{}));
    } else {
      sum_ += scaled_coefficient * Fr::from_raw({l0, l1, l2, l3});
    }
  }
  Fr value() const { return ones_.is_zero() ? sum_ : sum_ + ones_ * Fr::from_raw({1}); }

 private:
  Fr sum_, ones_;
};

}  // namespace cuzk::groth16
