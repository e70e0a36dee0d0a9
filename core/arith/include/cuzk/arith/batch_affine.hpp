#pragma once
/// Affine arithmetic on many points with one field inversion for all of them.

#include <cstddef>
#include <span>

#include <cuzk/arith/affine.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// Independent affine additions: for i = 0 .. count - 1, put(i, lhs(i) + rhs(i)). 5M + 1S each and one inversion for
/// the whole batch (simultaneous inversion of the slopes' denominators, Montgomery's trick), so that a few hundred
/// pairs make it the cheapest addition there is. Right for equal, opposite and infinite operands; a doubling costs 1S
/// more.
///
/// lhs, rhs: callables size_t -> Affine<G> or a reference to one: gathers through indices and negated operands cost no
/// copies. Both are called twice for each i, and must give the same point: first for i = count - 1 .. 0, then upwards.
/// put: callable (size_t, const Affine<G>&). It may overwrite what lhs(j) and rhs(j) with j <= i refer to, but nothing
/// that a j > i refers to: folding an array in place, p[i] = p[2i] + p[2i + 1], is allowed.
/// scratch: at least count elements, contents before and after meaningless; give it and the operands room in the L2
/// cache. Points must be on the curve. No allocation; variable time.
template <class G, class Lhs, class Rhs, class Put>
void batch_add(std::size_t count, Lhs&& lhs, Rhs&& rhs, Put&& put, std::span<typename G::Base> scratch);

/// points[i] in affine form, one inversion and 6M + 1S each. affine.size() must equal points.size(); no overlap, no
/// other memory.
template <class G>
void batch_to_affine(std::span<const Xyzz<G>> points, std::span<Affine<G>> affine);

namespace detail {

enum class Addition { chord, tangent, left, right, opposite };

/// Sorts the pair into its case and gives the denominator of its slope, which is not zero.
template <class G>
Addition classify(const Affine<G>& p, const Affine<G>& q, typename G::Base& denominator) {
  using Base = typename G::Base;
  denominator = q.x - p.x;
  Addition kind = Addition::chord;
  if (q.is_infinity()) {
    kind = Addition::left;
  } else if (p.is_infinity()) {
    kind = Addition::right;
  } else if (denominator.is_zero()) {
    denominator = p.y + q.y;
    if (!denominator.is_zero()) return Addition::tangent;  // on the curve y_p = y_q, so this is 2 y
    kind = Addition::opposite;
  } else {
    return kind;
  }
  denominator = Base::one();
  return kind;
}

}  // namespace detail

template <class G, class Lhs, class Rhs, class Put>
void batch_add(std::size_t count, Lhs&& lhs, Rhs&& rhs, Put&& put, std::span<typename G::Base> scratch) {
  using Base = typename G::Base;
  using detail::Addition;
  // scratch[i] = product of the denominators after i
  Base product = Base::one();
  for (std::size_t i = count; i-- > 0;) {
    Base denominator;
    detail::classify<G>(lhs(i), rhs(i), denominator);
    scratch[i] = product;
    product *= denominator;
  }
  Base inverse = product.inverse();
  for (std::size_t i = 0; i < count; ++i) {
    const Affine<G>& p = lhs(i);
    const Affine<G>& q = rhs(i);
    Base denominator;
    const Addition kind = detail::classify<G>(p, q, denominator);
    const Base reciprocal = inverse * scratch[i];
    inverse *= denominator;
    Base numerator;
    if (kind == Addition::chord) [[likely]] {
      numerator = q.y - p.y;
    } else if (kind == Addition::tangent) {
      const Base xx = p.x.square();
      numerator = xx.doubled() + xx;
    } else {
      put(i, kind == Addition::left ? p : kind == Addition::right ? q : Affine<G>::infinity());
      continue;
    }
    const Base slope = numerator * reciprocal;
    const Base x = slope.square() - p.x - q.x;
    put(i, Affine<G>{x, slope * (p.x - x) - p.y});
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
