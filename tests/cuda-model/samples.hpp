#pragma once
/// Elements of the host's fields and the same as the device sees them.

#include "cuda-common/field/field.cuh"

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace cuzk::cuda {

template <class To, class From>
To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <class Host>
class Samples {
 public:
  explicit Samples(uint64_t seed) : words_(seed) {}

  Host random() {
    for (;;) {
      typename Host::Limbs limbs;
      for (auto& limb : limbs) limb = words_();
      limbs.back() &= UINT64_MAX >> (64 * Host::kLimbs - Host::kBits);
      if (Host::is_reduced(limbs)) return Host::from_raw(limbs);
    }
  }

  /// As stored: 0, 1, p - 1, p - 2, R, R^2, single bits, runs of ones, each from either end, and words of ones below
  /// the modulus.
  static std::vector<Host> edges() {
    std::vector<typename Host::Limbs> values{{}, {1}, {2}, Host::Constants::kMinusOne, Host::Constants::kHalf};
    values.push_back(Host::Constants::kR);
    values.push_back(Host::Constants::kR2);
    typename Host::Limbs two{2}, less{};
    arith::limbs::sub(less, Host::modulus(), two);
    values.push_back(less);
    for (size_t bit = 0; bit < Host::kBits; bit += 16) {
      for (const size_t at : {bit, bit + 15}) {
        typename Host::Limbs single{}, run{};
        if (at >= Host::kBits) continue;
        single[at / 64] = uint64_t{1} << (at % 64);
        arith::limbs::sub(run, single, typename Host::Limbs{1});
        values.push_back(single);
        values.push_back(run);
        arith::limbs::sub(run, Host::modulus(), single);
        values.push_back(run);
      }
    }
    for (size_t hole = 0; hole < 2 * Host::kLimbs; ++hole) {
      typename Host::Limbs ones;
      ones.fill(UINT64_MAX);
      ones.back() = Host::modulus().back() - 1;
      values.push_back(ones);
      ones[hole / 2] &= hole % 2 == 0 ? 0xffffffff00000000U : 0x00000000ffffffffU;
      values.push_back(ones);
    }
    std::vector<Host> elements;
    for (const auto& value : values) {
      if (Host::is_reduced(value)) elements.push_back(Host::from_raw(value));
    }
    return elements;
  }

 private:
  std::mt19937_64 words_;
};

}  // namespace cuzk::cuda
