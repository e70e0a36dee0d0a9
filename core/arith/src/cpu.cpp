#include <cuzk/arith/cpu.hpp>

#ifdef CUZK_ARITH_X86
#include <cpuid.h>
#endif

namespace cuzk::arith::cpu {

constinit std::atomic<bool> detail::adx{false};

bool has_adx() {
#ifdef CUZK_ARITH_X86
  constexpr unsigned kBmi2 = 1U << 8;
  constexpr unsigned kAdx = 1U << 19;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kBmi2) != 0 && (ebx & kAdx) != 0;
#else
  return false;
#endif
}

bool adx_enabled() { return detail::adx.load(std::memory_order_relaxed); }

bool set_adx_enabled(bool enabled) {
  detail::adx.store(enabled && has_adx(), std::memory_order_relaxed);
  return adx_enabled();
}

#ifdef CUZK_ARITH_X86
namespace {
/// 101 is the earliest priority that programs may use.
[[gnu::constructor(101)]] void choose_kernels() { set_adx_enabled(true); }
}  // namespace
#endif

}  // namespace cuzk::arith::cpu
