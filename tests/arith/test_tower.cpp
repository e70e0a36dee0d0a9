#include "curve_samples.hpp"

#include <gtest/gtest.h>

namespace cuzk::arith {
namespace {

using oracle::Arithmetic;
using oracle::Element;
using oracle::Int;
using oracle::to_element;
using samples::random;
using samples::Rng;

template <class F>
class Tower : public testing::Test {
 protected:
  Rng rng{20};
  Arithmetic field{oracle::modulus_of<F>()};
  oracle::Polynomials<F> polynomials;

  /// Zero, one, u, the largest coefficients, and random elements.
  std::vector<Fp2<F>> fp2_values() {
    const F top = -F::one();
    std::vector<Fp2<F>> values{Fp2<F>::zero(),   Fp2<F>::one(),    {F::zero(), F::one()}, {top, top},
                               {F::zero(), top}, {top, F::zero()}, {F::one(), top}};
    for (int i = 0; i < 20; ++i) values.push_back(random<Fp2<F>>(rng));
    return values;
  }
  std::vector<Fp12<F>> fp12_values() {
    std::vector<Fp12<F>> values{Fp12<F>::zero(), Fp12<F>::one(), -Fp12<F>::one()};
    for (int i = 0; i < 4; ++i) values.push_back(random<Fp12<F>>(rng));
    values.push_back({random<Fp6<F>>(rng), Fp6<F>::zero()});
    values.push_back({Fp6<F>::zero(), random<Fp6<F>>(rng)});
    Fp12<F> sparse;
    sparse.c1.c2.c1 = F::one();
    values.push_back(sparse);
    return values;
  }
};

using Bases = testing::Types<Bn254Fp, Bls12381Fp>;
TYPED_TEST_SUITE(Tower, Bases);

TYPED_TEST(Tower, Fp2RingMatchesBigIntegers) {
  using F2 = Fp2<TypeParam>;
  const auto& f = this->field;
  for (const F2& a : this->fp2_values()) {
    const Element x = to_element(a);
    EXPECT_EQ(to_element(-a), f.sub({}, x));
    EXPECT_EQ(to_element(a.square()), f.mul(x, x));
    EXPECT_EQ(to_element(a.doubled()), f.add(x, x));
    EXPECT_EQ(f.add(to_element(a.halved()), to_element(a.halved())), x);
    EXPECT_EQ(to_element(a.conjugate()), f.reduce({x.a, -x.b}));
    EXPECT_EQ(oracle::to_int(a.norm().to_canonical()), oracle::mod(x.a * x.a + x.b * x.b, f.q));
    EXPECT_EQ(a.is_zero(), x == Element{});
    for (const F2& b : this->fp2_values()) {
      const Element y = to_element(b);
      EXPECT_EQ(to_element(a + b), f.add(x, y));
      EXPECT_EQ(to_element(a - b), f.sub(x, y));
      EXPECT_EQ(to_element(a * b), f.mul(x, y));
      EXPECT_EQ(to_element(a * b.c0), f.mul(x, {y.a, 0}));
      EXPECT_EQ(a == b, x == y);
    }
  }
}

TYPED_TEST(Tower, Fp2OperandsMayAlias) {
  auto a = random<Fp2<TypeParam>>(this->rng);
  const Element x = to_element(a);
  a *= a;
  EXPECT_EQ(to_element(a), this->field.mul(x, x));
  a += a;
  a -= a;
  EXPECT_TRUE(a.is_zero());
}

TYPED_TEST(Tower, Fp2InverseAndPower) {
  using F2 = Fp2<TypeParam>;
  EXPECT_TRUE(F2::zero().inverse().is_zero());
  for (const F2& a : this->fp2_values()) {
    if (!a.is_zero()) {
      EXPECT_EQ(to_element(a.inverse()), this->field.inverse(to_element(a)));
    }
    Element power{1, 0};
    for (std::uint64_t e = 0; e < 9; ++e) {
      EXPECT_EQ(to_element(a.pow(std::array{e})), power);
      power = this->field.mul(power, to_element(a));
    }
    const auto q = oracle::to_limbs(this->field.q);
    EXPECT_EQ(a.pow(q), a.conjugate()) << "the p-power Frobenius";
  }
}

TYPED_TEST(Tower, Fp2SquareRoots) {
  using F2 = Fp2<TypeParam>;
  const Int half = (this->field.q - 1) / 2;
  int squares = 0;
  int others = 0;
  for (const F2& a : this->fp2_values()) {
    const auto root_of_square = a.square().sqrt();
    ASSERT_TRUE(root_of_square);
    EXPECT_TRUE(*root_of_square == a || *root_of_square == -a);
    // a is a square in Fp2 exactly where its norm is one in Fp
    const Element x = to_element(a);
    const Int norm = oracle::mod(x.a * x.a + x.b * x.b, this->field.q);
    const bool is_square = norm == 0 || powm(norm, half, this->field.q) == 1;
    const auto root = a.sqrt();
    EXPECT_EQ(root.has_value(), is_square);
    if (root) {
      EXPECT_EQ(root->square(), a);
    }
    (is_square ? squares : others) += 1;
  }
  EXPECT_GT(squares, 3);
  EXPECT_GT(others, 3);
}

TYPED_TEST(Tower, Fp2SignComparesTheImaginaryPartFirst) {
  using F2 = Fp2<TypeParam>;
  const Int half = (this->field.q - 1) / 2;
  for (const F2& a : this->fp2_values()) {
    const Element x = to_element(a);
    EXPECT_EQ(a.is_lexicographically_largest(), x.b != 0 ? x.b > half : x.a > half);
  }
}

TYPED_TEST(Tower, ProductsMatchPolynomials) {
  const auto& p = this->polynomials;
  for (const auto& a : this->fp12_values()) {
    const auto x = p.from(a);
    EXPECT_EQ(p.from(a.square()), p.mul(x, x));
    for (const auto& b : this->fp12_values()) EXPECT_EQ(p.from(a * b), p.mul(x, p.from(b)));
    // Fp6 as the elements without c1
    using F6 = Fp6<TypeParam>;
    const auto in_fp6 = [&](const F6& c) { return p.from({c, F6::zero()}); };
    EXPECT_EQ(in_fp6(a.c0.square()), p.mul(in_fp6(a.c0), in_fp6(a.c0)));
    EXPECT_EQ(in_fp6(a.c0 * a.c1), p.mul(in_fp6(a.c0), in_fp6(a.c1)));
    EXPECT_EQ(a.c0.times_v(), a.c0 * (F6{{}, Fp2<TypeParam>::one(), {}}));
  }
}

TYPED_TEST(Tower, SparseProductsAreProducts) {
  using F2 = Fp2<TypeParam>;
  using F12 = Fp12<TypeParam>;
  for (const auto& a : this->fp12_values()) {
    const auto s = random<F2>(this->rng);
    const auto t = random<F2>(this->rng);
    const auto u = random<F2>(this->rng);
    EXPECT_EQ(a.times_line_d(s, t, u), a * (F12{{s, {}, {}}, {t, u, {}}}));
    EXPECT_EQ(a.times_line_m(s, t, u), a * (F12{{s, t, {}}, {{}, u, {}}}));
    EXPECT_EQ(a.c0.times(s, t), a.c0 * (Fp6<TypeParam>{s, t, {}}));
    EXPECT_EQ(a.c0.times_v(s), a.c0 * (Fp6<TypeParam>{{}, s, {}}));
    EXPECT_EQ(a.c0 * s, a.c0 * (Fp6<TypeParam>{s, {}, {}}));
  }
}

TYPED_TEST(Tower, InversesAndSums) {
  using F12 = Fp12<TypeParam>;
  EXPECT_TRUE(F12::zero().inverse().is_zero());
  EXPECT_TRUE(Fp6<TypeParam>::zero().inverse().is_zero());
  const auto one = this->polynomials.from(F12::one());
  for (const auto& a : this->fp12_values()) {
    if (!a.is_zero()) {
      EXPECT_EQ(this->polynomials.mul(this->polynomials.from(a), this->polynomials.from(a.inverse())), one);
    }
    if (!a.c0.is_zero()) {
      EXPECT_EQ(a.c0 * a.c0.inverse(), Fp6<TypeParam>::one());
    }
    EXPECT_EQ(a - a, F12::zero());
    EXPECT_EQ(a + -a, F12::zero());
    EXPECT_EQ(a.c0.doubled(), a.c0 + a.c0);
    EXPECT_EQ((a + a).c1, a.c1.doubled());
  }
}

TYPED_TEST(Tower, FrobeniusIsThePowerOfP) {
  const auto a = random<Fp12<TypeParam>>(this->rng);
  const auto& p = this->polynomials;
  EXPECT_EQ(p.from(a.frobenius(1)), p.pow(p.from(a), p.q));
  EXPECT_EQ(a.frobenius(2), a.frobenius(1).frobenius(1));
  EXPECT_EQ(a.frobenius(3), a.frobenius(2).frobenius(1));
  EXPECT_EQ(a.conjugate(), a.frobenius(3).frobenius(3));
}

TYPED_TEST(Tower, PowerMatchesPolynomials) {
  const auto a = random<Fp12<TypeParam>>(this->rng);
  const auto& p = this->polynomials;
  for (const Int& e : {Int(0), Int(1), Int(2), Int(0xfeedu), (Int(1) << 64) + 5}) {
    EXPECT_EQ(p.from(a.pow(oracle::to_limbs(e))), p.pow(p.from(a), e));
  }
}

TYPED_TEST(Tower, CyclotomicSquareSquaresTheCyclotomicSubgroup) {
  for (int i = 0; i < 5; ++i) {
    const auto a = random<Fp12<TypeParam>>(this->rng);
    const auto b = a.conjugate() * a.inverse();
    const auto c = b.frobenius(2) * b;
    EXPECT_EQ(c.cyclotomic_square(), c.square());
    EXPECT_EQ(c.conjugate(), c.inverse());
    EXPECT_NE(a.cyclotomic_square(), a.square()) << "the shortcut holds in the subgroup only";
  }
}

}  // namespace
}  // namespace cuzk::arith
