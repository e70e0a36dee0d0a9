#pragma once
/// The constants of the Frobenius maps on the tower and on the twist.

#include <array>
#include <cstddef>

#include <cuzk/arith/fp2.hpp>

namespace cuzk::arith {

/// gamma[k - 1][i] = xi^(i (p^k - 1)/6), so that (a w^i)^(p^k) = a^(p^k) gamma[k - 1][i] w^i for a in Fp2, as w^6 = xi.
template <class F>
struct FrobeniusConstants {
  std::array<std::array<Fp2<F>, 6>, 3> gamma;

  /// Derived from xi on first use, by any thread.
  static const FrobeniusConstants& get() {
    static const FrobeniusConstants constants;
    return constants;
  }

 private:
  FrobeniusConstants() {
    // (p - 1)/6, by long division; p = 1 mod 6 on both curves
    typename F::Limbs exponent = F::Constants::kMinusOne;
    std::uint64_t remainder = 0;
    for (std::size_t i = F::kLimbs; i-- > 0;) {
      const limbs::u128 t = (static_cast<limbs::u128>(remainder) << 64) | exponent[i];
      exponent[i] = static_cast<std::uint64_t>(t / 6);
      remainder = static_cast<std::uint64_t>(t % 6);
    }
    const Fp2<F> xi = mul_by_xi(Fp2<F>::one());
    const Fp2<F> first = xi.pow(exponent);            // xi^((p - 1)/6)
    const Fp2<F> second = first * first.conjugate();  // its (1 + p)-th power: xi^((p^2 - 1)/6)
    const Fp2<F> third = second * first;              // its (1 + p + p^2)-th power
    const std::array<Fp2<F>, 3> base{first, second, third};
    for (std::size_t k = 0; k < 3; ++k) {
      gamma[k][0] = Fp2<F>::one();
      for (std::size_t i = 1; i < 6; ++i) gamma[k][i] = gamma[k][i - 1] * base[k];
    }
  }
};

}  // namespace cuzk::arith
