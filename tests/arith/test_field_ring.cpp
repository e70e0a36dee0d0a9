/// The ring operations of every field against GMP.

#include "field_cases.hpp"

namespace cuzk::arith::field_test {
namespace {

template <class C>
class FieldRing : public FieldTest<C> {};
TYPED_TEST_SUITE(FieldRing, Cases, CaseName);

template <class F>
void expect_ring_operations(const F& a, const F& b) {
  static const Integer p = modulus<F>();
  const Integer x = integer(a);
  const Integer y = integer(b);
  ASSERT_EQ(integer(a + b), (x + y) % p) << x << " + " << y;
  ASSERT_EQ(integer(a - b), (x - y) % p) << x << " - " << y;
  ASSERT_EQ(integer(a * b), (x * y) % p) << x << " * " << y;
  ASSERT_EQ(integer(-a), (Integer() - x) % p) << x;
  ASSERT_EQ(integer(a.square()), (x * x) % p) << x;
  ASSERT_EQ(integer(a.doubled()), (x + x) % p) << x;
  ASSERT_EQ(integer(a.halved().doubled()), x);
  ASSERT_EQ(a == b, x == y);
  ASSERT_EQ(a.is_zero(), x == Integer());
  for (const F& r : {a + b, a - b, a * b, -a, a.square(), a.halved()}) ASSERT_TRUE(F::is_reduced(r.limb));
}

template <class F>
void expect_products_of_pairs(const F& a, const F& b, const F& c, const F& d) {
  static const Integer p = modulus<F>();
  const Integer w = integer(a);
  const Integer x = integer(b);
  const Integer y = integer(c);
  const Integer z = integer(d);
  ASSERT_EQ(integer(sum_of_products(a, b, c, d)), (w * x + y * z) % p);
  ASSERT_EQ(integer(difference_of_products(a, b, c, d)), (w * x - y * z) % p);
  F real;
  F imaginary;
  complex_product(real, imaginary, a, b, c, d);
  ASSERT_EQ(integer(real), (w * y - x * z) % p) << w << " + u " << x << " times " << y << " + u " << z;
  ASSERT_EQ(integer(imaginary), (w * z + x * y) % p) << w << " + u " << x << " times " << y << " + u " << z;
  ASSERT_TRUE(F::is_reduced(real.limb) && F::is_reduced(imaginary.limb));
}

TYPED_TEST(FieldRing, AgreesWithGmpOnPairsOfEdges) {
  using F = typename TypeParam::Element;
  for (const F& a : samples<F>(0, 0)) {
    for (const F& b : samples<F>(0, 0)) {
      expect_ring_operations(a, b);
      expect_products_of_pairs(a, b, b, a);
      expect_products_of_pairs(a, a, b, b);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(FieldRing, AgreesWithGmpOnRandomValues) {
  using F = typename TypeParam::Element;
  const auto values = samples<F>(20000, 1);
  for (std::size_t i = 0; i + 3 < values.size(); ++i) {
    expect_ring_operations(values[i], values[values.size() - 1 - i]);
    expect_products_of_pairs(values[i], values[i + 1], values[i + 2], values[i + 3]);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(FieldRing, WorksInPlace) {
  using F = typename TypeParam::Element;
  for (const F& a : samples<F>(100, 2)) {
    const F b = a + F::from_u64(3);
    const auto in_place = [&](auto operation) {
      F r = a;
      operation(r);
      return r;
    };
    EXPECT_EQ(in_place([&](F& r) { r += b; }), a + b);
    EXPECT_EQ(in_place([&](F& r) { r -= b; }), a - b);
    EXPECT_EQ(in_place([&](F& r) { r *= b; }), a * b);
    EXPECT_EQ(in_place([&](F& r) { r += r; }), a + a);
    EXPECT_EQ(in_place([&](F& r) { r -= r; }), F::zero());
    EXPECT_EQ(in_place([&](F& r) { r *= r; }), a * a);
    F c0 = a;
    F c1 = b;
    complex_product(c0, c1, c0, c1, c0, c1);
    EXPECT_EQ(c0, a * a - b * b);
    EXPECT_EQ(c1, (a * b).doubled());
  }
}

TYPED_TEST(FieldRing, ConvertsBetweenForms) {
  using F = typename TypeParam::Element;
  for (const auto& limbs : edge_limbs<F>()) {
    EXPECT_TRUE(F::is_reduced(limbs));
    EXPECT_EQ(F::from_canonical(limbs).to_canonical(), limbs);
    EXPECT_EQ(F::from_raw(limbs).limb, limbs);
  }
  EXPECT_FALSE(F::is_reduced(F::modulus()));
  typename F::Limbs ones{};
  ones.fill(~std::uint64_t{0});
  EXPECT_FALSE(F::is_reduced(ones));
  EXPECT_EQ(F::one().to_canonical(), typename F::Limbs{1});
  EXPECT_EQ(F::from_u64(~std::uint64_t{0}).to_canonical(), typename F::Limbs{~std::uint64_t{0}});
  static_assert(F::from_u64(6) * F::from_u64(7) == F::from_u64(42));
  static_assert(sizeof(F) == 8 * F::kLimbs && std::is_trivially_copyable_v<F> && std::is_standard_layout_v<F>);
}

}  // namespace
}  // namespace cuzk::arith::field_test
