#pragma once
/// Reproducible test data.

#include <cstdint>
#include <random>
#include <vector>

namespace cuzk::conformance {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t word() { return engine_(); }
  uint64_t below(uint64_t n) { return engine_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class F>
  F element() {
    typename F::Limbs limbs;
    do {
      for (uint64_t& limb : limbs) limb = engine_();
      limbs.back() &= ~uint64_t{0} >> (64 * F::kLimbs - F::kBits);
    } while (!F::is_reduced(limbs));
    return F::from_raw(limbs);
  }
  template <class F>
  std::vector<F> elements(size_t count) {
    std::vector<F> all(count);
    for (F& one : all) one = element<F>();
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cuzk::conformance
