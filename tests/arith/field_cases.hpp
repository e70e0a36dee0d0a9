#pragma once
/// What the field tests share: every field on every kind of kernel, samples, and GMP as the oracle.

#include <gmp.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include <cuzk/arith/fields.hpp>

namespace cuzk::arith::field_test {

/// An integer of GMP.
class Integer {
 public:
  Integer() { mpz_init(value_); }
  template <std::size_t N>
  explicit Integer(const LimbArray<N>& limbs) : Integer() {
    mpz_import(value_, N, -1, sizeof(std::uint64_t), 0, 0, limbs.data());
  }
  Integer(const Integer& other) { mpz_init_set(value_, other.value_); }
  Integer& operator=(const Integer& other) {
    mpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }

  friend Integer operator+(const Integer& a, const Integer& b) { return apply(mpz_add, a, b); }
  friend Integer operator-(const Integer& a, const Integer& b) { return apply(mpz_sub, a, b); }
  friend Integer operator*(const Integer& a, const Integer& b) { return apply(mpz_mul, a, b); }
  /// In [0, m).
  friend Integer operator%(const Integer& a, const Integer& m) { return apply(mpz_mod, a, m); }
  friend bool operator==(const Integer& a, const Integer& b) { return mpz_cmp(a.value_, b.value_) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const Integer& a) {
    std::string digits(mpz_sizeinbase(a.value_, 16) + 2, '\0');
    return out << mpz_get_str(digits.data(), 16, a.value_);
  }

 private:
  static Integer apply(void (*f)(mpz_ptr, mpz_srcptr, mpz_srcptr), const Integer& a, const Integer& b) {
    Integer r;
    f(r.value_, a.value_, b.value_);
    return r;
  }
  mpz_t value_;
};

template <class F>
Integer integer(const F& a) {
  return Integer(a.to_canonical());
}

template <class F>
Integer modulus() {
  return Integer(F::modulus());
}

template <class F>
typename F::Limbs random_limbs(std::mt19937_64& random) {
  typename F::Limbs limbs{};
  do {
    for (auto& word : limbs) word = random();
    limbs[F::kLimbs - 1] >>= 64 * F::kLimbs - F::kBits;
  } while (!F::is_reduced(limbs));
  return limbs;
}

/// Bit patterns below p at which carries go wrong: 0, 1, 2, p - 1, p - 2, (p ± 1) / 2, R, R^2, and limbs of all ones.
template <class F>
std::vector<typename F::Limbs> edge_limbs() {
  using Limbs = typename F::Limbs;
  using Constants = typename F::Constants;
  Limbs minus_two = Constants::kMinusOne;
  minus_two[0] -= 1;
  Limbs above_half = Constants::kHalf;
  above_half[0] += 1;
  std::vector<Limbs> edges{Limbs{},          Limbs{1},   Limbs{2},      Constants::kMinusOne, minus_two,
                           Constants::kHalf, above_half, Constants::kR, Constants::kR2};
  for (unsigned mask = 1; mask < (1U << F::kLimbs); ++mask) {
    Limbs ones{};
    for (std::size_t i = 0; i < F::kLimbs; ++i) ones[i] = (mask >> i) & 1U ? ~std::uint64_t{0} : 0;
    if (ones[F::kLimbs - 1] != 0) ones[F::kLimbs - 1] = F::modulus()[F::kLimbs - 1] - 1;
    edges.push_back(ones);
  }
  return edges;
}

/// Every edge both as a plain value and as limbs in Montgomery form, then `count` random elements.
template <class F>
std::vector<F> samples(std::size_t count, std::uint64_t seed) {
  std::vector<F> all;
  for (const auto& limbs : edge_limbs<F>()) {
    all.push_back(F::from_canonical(limbs));
    all.push_back(F::from_raw(limbs));
  }
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) all.push_back(F::from_canonical(random_limbs<F>(random)));
  return all;
}

/// One field on one kind of kernel.
template <class F, bool Adx>
struct Case {
  using Element = F;
  static constexpr bool kAdx = Adx;
};

using Cases =
    ::testing::Types<Case<Bn254Fr, false>, Case<Bn254Fr, true>, Case<Bn254Fp, false>, Case<Bn254Fp, true>,
                     Case<Bls12381Fr, false>, Case<Bls12381Fr, true>, Case<Bls12381Fp, false>, Case<Bls12381Fp, true>>;

struct CaseName {
  template <class C>
  static std::string GetName(int) {
    std::string name = C::Element::kName;
    std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
    return name + (C::kAdx ? "Adx" : "Portable");
  }
};

/// Puts the kernels that a case asks for in use, and the default back afterwards.
template <class C>
class FieldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (C::kAdx && !cpu::has_adx()) GTEST_SKIP() << "this CPU has no BMI2 and ADX";
    ASSERT_EQ(cpu::set_adx_enabled(C::kAdx), C::kAdx);
  }
  void TearDown() override { cpu::set_adx_enabled(true); }
};

}  // namespace cuzk::arith::field_test
