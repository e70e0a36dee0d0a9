#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/limbs.hpp>

namespace cuzk::formats {

/// A sum of coefficient x canonical witness value. Where the value is 0 or 1, as most are in practice, the coefficient
/// is only added; the other terms are one Montgomery product each. The two parts differ by a factor R, which the caller
/// brings back once a sum.
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
  /// Of coefficients, as they were given, whose value is 1.
  const Fr& ones() const { return ones_; }
  /// Of coefficient x value / R, both as they were given.
  const Fr& products() const { return products_; }

 private:
  Fr ones_, products_;
};

}  // namespace cuzk::formats
