#pragma once
/// Simultaneous inversion.

#include <cstddef>
#include <span>

namespace cuzk::arith {

/// Replaces every value by its inverse; zeros stay zero. Works for any F with one(), is_zero(), inverse(), * and *=.
/// Cost: three multiplications each and one inversion (Montgomery's trick; P. L. Montgomery, "Speeding the Pollard and
/// elliptic curve methods of factorization", 1987, section 10.3.1).
/// `scratch` needs at least values.size() elements, must not overlap `values`, and holds nothing useful afterwards.
template <class F>
void batch_inverse(std::span<F> values, std::span<F> scratch) {
  F product = F::one();
  for (std::size_t i = 0; i < values.size(); ++i) {
    scratch[i] = product;
    if (!values[i].is_zero()) product *= values[i];
  }
  F inverse = product.inverse();
  for (std::size_t i = values.size(); i-- > 0;) {
    if (values[i].is_zero()) continue;
    const F value = values[i];
    values[i] = inverse * scratch[i];
    inverse *= value;
  }
}

}  // namespace cuzk::arith
