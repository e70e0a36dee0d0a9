#pragma once
#include <memory>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The NTT component: transforms of 2^0 to 2^28 values in CUDA memory, in place. Resident: the roots, half a vector,
/// or, where less memory is offered, two tables of about the square root of that, for up to 1.5 times the
/// multiplications; and at most 2 MiB of coset powers. No workspace. Calls return when their work is enqueued on the
/// instance's stream; without a fence to record, when it is done.
class Ntt {
 public:
  static cuzk_plan plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit);

  Ntt(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem resident);
  ~Ntt();

  void transform(const cuzk_call& call, cuzk_vec v, uint32_t kind, cuzk_fence done);
  void pointwise(const cuzk_call& call, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done);
  void quotient_ab(const cuzk_call& call, cuzk_vec a, cuzk_vec b, cuzk_fence b_free);
  void quotient_c(const cuzk_call& call, cuzk_vec ab, cuzk_vec c, cuzk_fence done);

  class OnField;

 private:
  std::unique_ptr<OnField> impl_;
};

}  // namespace cuzk::cuda
