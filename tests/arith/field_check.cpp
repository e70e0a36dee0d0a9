/// A check of the fields that needs nothing but the library, to run on emulated CPUs. Products are compared with
/// shift-and-add on plain integers.
///
///   cuzk-field-check            on whatever code this CPU gets, and on portable code
///   cuzk-field-check portable   the same, and fails unless this CPU gets portable code
///   cuzk-field-check sigill     runs a mulx/adcx/adox kernel regardless and succeeds if the CPU refuses it

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include <cuzk/arith/batch_inverse.hpp>
#include <cuzk/arith/fields.hpp>

namespace {

using namespace cuzk::arith;

/// Runs before main, like the globals of a program that uses the library.
const bool kEnabledBeforeMain = cpu::adx_enabled();
const Bls12381Fp kBeforeMain = Bls12381Fp::from_u64(6) * Bls12381Fp::from_u64(7);

template <class F>
typename F::Limbs add_mod(typename F::Limbs a, const typename F::Limbs& b) {
  limbs::add(a, a, b);
  if (!F::is_reduced(a)) limbs::sub(a, a, F::modulus());
  return a;
}

template <class F>
typename F::Limbs slow_product(const typename F::Limbs& a, const typename F::Limbs& b) {
  typename F::Limbs r{};
  for (std::size_t i = 64 * F::kLimbs; i-- > 0;) {
    r = add_mod<F>(r, r);
    if ((b[i / 64] >> (i % 64)) & 1U) r = add_mod<F>(r, a);
  }
  return r;
}

template <class F>
F random_element(std::mt19937_64& random) {
  typename F::Limbs limbs{};
  do {
    for (auto& word : limbs) word = random();
    limbs[F::kLimbs - 1] >>= 64 * F::kLimbs - F::kBits;
  } while (!F::is_reduced(limbs));
  return F::from_canonical(limbs);
}

template <class F>
bool check(int count) {
  std::mt19937_64 random(1);
  F a = -F::one();
  F b = a;
  for (int i = 0; i < count; ++i) {
    const F product = a * b;
    F c0;
    F c1;
    complex_product(c0, c1, a, b, b, a);
    std::array<F, 3> inverses{a, F::zero(), b};
    std::array<F, 3> scratch;
    batch_inverse<F>(inverses, scratch);
    const bool good =
        product.to_canonical() == slow_product<F>(a.to_canonical(), b.to_canonical()) && a.square() == a * a &&
        (a + b) * (a - b) == a.square() - b.square() && sum_of_products(a, b, a, a) == product + a.square() &&
        c0.is_zero() && c1 == a.square() + b.square() && a * a.inverse() == F::one() &&
        inverses == std::array{a.inverse(), F::zero(), b.inverse()} && (-a + a).is_zero() && a.halved().doubled() == a;
    if (!good) {
      std::printf("%s: wrong at sample %d, adx %s\n", F::kName, i, cpu::adx_enabled() ? "on" : "off");
      return false;
    }
    a = random_element<F>(random);
    b = random_element<F>(random);
  }
  return true;
}

bool check_all() {
  constexpr int kSamples = 500;
  return check<Bn254Fr>(kSamples) && check<Bn254Fp>(kSamples) && check<Bls12381Fr>(kSamples) &&
         check<Bls12381Fp>(kSamples);
}

#ifdef CUZK_ARITH_X86
int expect_refusal() {
  std::signal(SIGILL, [](int) { std::_Exit(0); });
  Bn254Fp r = Bn254Fp::one();
  cuzk_arith_mul4(r.limb.data(), r.limb.data(), r.limb.data(), Bn254Fp::Constants::kReduction.data());
  std::puts("the CPU ran mulx, adcx and adox");
  return 1;
}
#else
int expect_refusal() { return 0; }
#endif

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "sigill") == 0) return expect_refusal();
  if (std::strcmp(mode, "portable") == 0 && (cpu::has_adx() || cpu::adx_enabled() || cpu::set_adx_enabled(true))) {
    std::puts("found a CPU with BMI2 and ADX, expected one without");
    return 1;
  }
  if (kEnabledBeforeMain != cpu::has_adx() || !(kBeforeMain == Bls12381Fp::from_u64(42))) {
    std::puts("the choice of kernels was not made before main");
    return 1;
  }
  if (!check_all()) return 1;
  cpu::set_adx_enabled(false);
  return check_all() ? 0 : 1;
}
