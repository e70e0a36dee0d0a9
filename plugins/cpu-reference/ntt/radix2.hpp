#pragma once
#include <memory>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cpu {

/// The NTT component: cache-blocked transforms of 2^0 to 2^28 values in host-addressable memory. Resident: twiddles,
/// half a vector, and at most 2^18 coset powers; workspace: one tile of 256 KiB a thread. All work is done when a call
/// returns.
class Radix2 {
 public:
  static cuzk_plan plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit);

  Radix2(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem resident);
  ~Radix2();

  void transform(const cuzk_call& call, cuzk_vec v, uint32_t kind, cuzk_fence done);
  void pointwise(const cuzk_call& call, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done);
  void quotient_ab(const cuzk_call& call, cuzk_vec a, cuzk_vec b, cuzk_fence b_free);
  void quotient_c(const cuzk_call& call, cuzk_vec ab, cuzk_vec c, cuzk_fence done);

  class OnField;

 private:
  std::unique_ptr<OnField> impl_;
};

}  // namespace cuzk::cpu
