#pragma once
#include <cstdint>
#include <memory>

#include <cuzk/component.hpp>
#include <cuzk/lease.hpp>

namespace cuzk {

/// Transforms and the quotient over one domain. Operands: Fr vectors of the domain's size, Montgomery, in the
/// instance's space, changed in place. One instance per worker and device, one thread at a time. The lease's call
/// carries the workspace and pinned memory that plan() asked for. Errors: cuzk::Error; then nothing started still runs.
class Ntt {
 public:
  virtual ~Ntt() = default;
  /// kind: CUZK_FORWARD, CUZK_INVERSE, CUZK_COSET_FORWARD, CUZK_COSET_INVERSE; natural order in and out.
  virtual void transform(const Lease&, cuzk_vec v, uint32_t kind, cuzk_fence done) = 0;
  /// out = x * y (CUZK_MUL) or (x - y) * z_inverse (CUZK_SUB_SCALE), element by element; out may be x or y.
  virtual void pointwise(const Lease&, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done) = 0;
  /// First half: a <- coset(a) * coset(b). After b_free, b's memory is dead.
  virtual void quotient_ab(const Lease&, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) = 0;
  /// Second half: ab <- h. c holds a * b row by row and is destroyed. For CUZK_H_COSET_LAGRANGE h is n values on the
  /// coset; for CUZK_H_MONOMIAL n coefficients, the last of which is zero.
  virtual void quotient_c(const Lease&, cuzk_vec ab, cuzk_vec c, cuzk_fence done) = 0;
};

class NttComponent : public Component {
 public:
  /// Pure: what an instance for this domain needs on such a device. `limit`, in bytes, counts resident (twiddles, as
  /// long as the instance lives) + workspace + unmanaged (of one call). The answer may exceed it where `minimum` does:
  /// the least with which the component works at all. Monotone in the limit. Threads: any. Errors: out_of_memory
  /// (cannot do within the limit), unusable (not this domain).
  virtual cuzk_plan plan(const cuzk_device_info&, const cuzk_domain&, uint64_t limit) const = 0;
  /// plan: as plan() answered. resident: plan.resident bytes in the space, the caller's until the instance is gone.
  virtual std::unique_ptr<Ntt> open(cuzk_space, const cuzk_domain&, const cuzk_plan&, cuzk_mem resident) const = 0;
};

}  // namespace cuzk
