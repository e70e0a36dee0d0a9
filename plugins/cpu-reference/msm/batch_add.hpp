#pragma once
/// Affine additions that share an inversion, arranged for throughput.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuzk/arith/affine.hpp>

namespace cuzk::cpu {

/// False for most points, true for infinity: one load instead of all.
template <class F>
bool may_be_zero(const F& x) {
  if constexpr (requires { x.c0; }) {
    return x.c0.limb[0] == 0;
  } else {
    return x.limb[0] == 0;
  }
}

/// Pairs that need no slope: one of them is infinity, or they are opposite. @return whether p became the sum
template <class G>
bool add_without_slope(arith::Affine<G>& p, const arith::Affine<G>& q) {
  if (q.is_infinity()) return true;
  if (p.is_infinity()) {
    p = q;
    return true;
  }
  if (p.x == q.x && !(p.y == q.y)) {
    p = arith::Affine<G>::infinity();
    return true;
  }
  return false;
}

/// points[p] += points[p + stride] for every p of `pairs`, which are independent of each other; `pairs` is left without
/// use, and `slopes` needs as many elements. Right for equal, opposite and infinite points. 5M + 1S each and one
/// inversion (P. L. Montgomery, 1987, section 10.3.1): the same operations as arith::batch_add, but in three loops of
/// which only the first two carry a product from step to step, and these two products in turn: multiplications overlap
/// instead of waiting for each other.
template <class G>
void add_pairs(std::span<arith::Affine<G>> points, std::span<uint32_t> pairs, uint32_t stride,
               std::span<typename G::Base> slopes) {
  using Base = typename G::Base;
  size_t count = 0;
  std::array<Base, 2> products{Base::one(), Base::one()};
  for (const uint32_t at : pairs) {
    arith::Affine<G>& p = points[at];
    const arith::Affine<G>& q = points[at + stride];
    Base run = q.x - p.x;
    if (may_be_zero(run) || may_be_zero(p.x) || may_be_zero(q.x)) [[unlikely]] {
      if (add_without_slope(p, q)) continue;
      if (run.is_zero()) run = p.y.doubled();
    }
    Base& product = products[count % 2];
    slopes[count] = product;  // of the runs before
    product *= run;
    pairs[count++] = at;
  }
  if (count == 0) return;
  const Base inverse = (products[0] * products[1]).inverse();
  std::array<Base, 2> inverses{inverse * products[1], inverse * products[0]};
  for (size_t i = count; i-- > 0;) {
    const arith::Affine<G>& p = points[pairs[i]];
    const arith::Affine<G>& q = points[pairs[i] + stride];
    Base run = q.x - p.x, rise = q.y - p.y;
    if (may_be_zero(run) && run.is_zero()) [[unlikely]] {  // p = q
      const Base xx = p.x.square();
      rise = xx.doubled() + xx;
      run = p.y.doubled();
    }
    Base& running = inverses[i % 2];
    const Base reciprocal = running * slopes[i];
    running *= run;
    slopes[i] = rise * reciprocal;
  }
  for (size_t i = 0; i < count; ++i) {
    arith::Affine<G>& p = points[pairs[i]];
    const arith::Affine<G>& q = points[pairs[i] + stride];
    const Base x = slopes[i].square() - p.x - q.x;
    const Base y = slopes[i] * (p.x - x) - p.y;
    p = {x, y};
  }
}

}  // namespace cuzk::cpu
