#pragma once
/// Which arithmetic the running CPU gets.

#include <atomic>

#if defined(__x86_64__) && defined(__ELF__)
#define CUZK_ARITH_X86 1
#endif

namespace cuzk::arith::cpu {

/// Whether this CPU has BMI2 and ADX (mulx, adcx, adox); always false off x86-64.
bool has_adx();

/// Whether the mulx/adcx/adox kernels are in use: from before main wherever has_adx(), unless switched off.
bool adx_enabled();

/// Chooses between the mulx/adcx/adox kernels and portable code, for tests and measurements; takes effect at once in
/// all threads and returns what is now in use, which stays false where !has_adx().
bool set_adx_enabled(bool enabled);

namespace detail {
/// False, the choice that is right everywhere, until a constructor that runs before those of ordinary globals looks at
/// the CPU. Hidden: each shared object that links cuzk::arith has its own.
[[gnu::visibility("hidden")]] extern constinit std::atomic<bool> adx;
}  // namespace detail

}  // namespace cuzk::arith::cpu
