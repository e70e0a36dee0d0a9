#pragma once
/// Affine arithmetic on many points with one field inversion for all of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuzk/arith/affine.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// Independent affine additions: sum(p) += addend(p) for every p of `pairs`. 5M + 1S each, a doubling 1S more, and one
/// inversion for the whole batch (P. L. Montgomery, "Speeding the Pollard and elliptic curve methods", 1987, section
/// 10.3.1), so that a few hundred pairs make it the cheapest addition there is. Right for equal, opposite and infinite
/// points. Of its three loops only the first two carry a product from step to step, and these two products in turn:
/// multiplications overlap instead of waiting for each other.
///
/// sum: callable uint32_t -> Affine<G>&; addend: callable uint32_t -> Affine<G> or a reference to one: gathers and
/// negated points cost no copies. Both are called up to three times for each p. No two p have the same sum, and no
/// addend is another p's sum. Points must be on the curve.
/// pairs: contents meaningless afterwards. slopes: at least as many elements, contents before and after meaningless;
/// give it and the points room in the L2 cache. No allocation; variable time.
template <class G, class Sum, class Addend>
void batch_add(std::span<std::uint32_t> pairs, Sum sum, Addend addend, std::span<typename G::Base> slopes);

/// points[i] in affine form, one inversion and 6M + 1S each. affine.size() must equal points.size(); no overlap, no
/// other memory.
template <class G>
void batch_to_affine(std::span<const Xyzz<G>> points, std::span<Affine<G>> affine);

namespace detail {

/// False for most elements, true for zero: one load instead of all.
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
bool add_without_slope(Affine<G>& p, const Affine<G>& q) {
  if (q.is_infinity()) return true;
  if (p.is_infinity()) {
    p = q;
    return true;
  }
  if (p.x == q.x && !(p.y == q.y)) {
    p = Affine<G>::infinity();
    return true;
  }
  return false;
}

}  // namespace detail

template <class G, class Sum, class Addend>
void batch_add(std::span<std::uint32_t> pairs, Sum sum, Addend addend, std::span<typename G::Base> slopes) {
  using Base = typename G::Base;
  using detail::may_be_zero;
  std::size_t count = 0;  // of the pairs that need a slope; they move to the front
  std::array<Base, 2> products{Base::one(), Base::one()};
  for (const std::uint32_t pair : pairs) {
    Affine<G>& p = sum(pair);
    const Affine<G>& q = addend(pair);
    Base run = q.x - p.x;
    if (may_be_zero(run) || may_be_zero(p.x) || may_be_zero(q.x)) [[unlikely]] {
      if (detail::add_without_slope(p, q)) continue;
      if (run.is_zero()) run = p.y.doubled();
    }
    Base& product = products[count % 2];
    slopes[count] = product;  // of the runs before
    product *= run;
    pairs[count++] = pair;
  }
  if (count == 0) return;
  const Base inverse = (products[0] * products[1]).inverse();
  std::array<Base, 2> inverses{inverse * products[1], inverse * products[0]};
  for (std::size_t i = count; i-- > 0;) {
    const Affine<G>& p = sum(pairs[i]);
    const Affine<G>& q = addend(pairs[i]);
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
  for (std::size_t i = 0; i < count; ++i) {
    Affine<G>& p = sum(pairs[i]);
    const Affine<G>& q = addend(pairs[i]);
    const Base x = slopes[i].square() - p.x - q.x;
    const Base y = slopes[i] * (p.x - x) - p.y;
    p = {x, y};
  }
}

template <class G>
void batch_to_affine(std::span<const Xyzz<G>> points, std::span<Affine<G>> affine) {
  using Base = typename G::Base;
  // affine[i].x = product of the ZZZ before i
  Base product = Base::one();
  for (std::size_t i = 0; i < points.size(); ++i) {
    affine[i].x = product;
    if (!points[i].is_infinity()) product *= points[i].zzz;
  }
  Base inverse = product.inverse();
  for (std::size_t i = points.size(); i-- > 0;) {
    const Xyzz<G>& p = points[i];
    if (p.is_infinity()) {
      affine[i] = Affine<G>::infinity();
      continue;
    }
    const Base reciprocal = inverse * affine[i].x;
    inverse *= p.zzz;
    affine[i] = {p.x * (reciprocal * p.zz).square(), p.y * reciprocal};
  }
}

}  // namespace cuzk::arith
