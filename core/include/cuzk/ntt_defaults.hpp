#pragma once
/// What core does where an NTT component leaves a slot out: the maths over transform and pointwise, apart from any
/// plugin.

#include <cstdint>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk::ntt_defaults {

/// out[i] = x[i] * y[i] (CUZK_MUL) or (x[i] - y[i]) * z_inverse (CUZK_SUB_SCALE) for host-addressable vectors of one
/// length, Montgomery; out may be x or y. Done when it returns. Error internal: an unknown op or curve, or lengths that
/// differ.
void pointwise(CpuPool&, const cuzk_domain&, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op);

/// a <- coset(a) * coset(b): of both vectors, values on the domain, the polynomial and from it the values on the coset.
/// transform(vec, kind, done) and pointwise(out, x, y, op, done) are the component's; all but the last step are done
/// when they return, so that only the last one gets the fence.
template <class Transform, class Pointwise>
void quotient_ab(Transform&& transform, Pointwise&& pointwise, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) {
  constexpr cuzk_fence kDone{};
  for (cuzk_vec* v : {&a, &b}) {
    transform(*v, CUZK_INVERSE, kDone);
    v->ready = kDone;
    transform(*v, CUZK_COSET_FORWARD, kDone);
  }
  pointwise(a, a, b, CUZK_MUL, b_free);
}

/// ab <- h = (ab - coset(c)) / Z: values on the coset, or for CUZK_H_MONOMIAL the coefficients.
template <class Transform, class Pointwise>
void quotient_c(Transform&& transform, Pointwise&& pointwise, const cuzk_domain& domain, cuzk_vec ab, cuzk_vec c,
                cuzk_fence done) {
  constexpr cuzk_fence kDone{};
  transform(c, CUZK_INVERSE, kDone);
  c.ready = kDone;
  transform(c, CUZK_COSET_FORWARD, kDone);
  if (domain.h_basis == CUZK_H_COSET_LAGRANGE) {
    pointwise(ab, ab, c, CUZK_SUB_SCALE, done);
    return;
  }
  pointwise(ab, ab, c, CUZK_SUB_SCALE, kDone);
  ab.ready = kDone;
  transform(ab, CUZK_COSET_INVERSE, done);
}

}  // namespace cuzk::ntt_defaults
