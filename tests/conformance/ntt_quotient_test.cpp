/// NTT: the two halves of the quotient for both bases of h.

#include "ntt_case.hpp"

namespace cuzk::conformance {
namespace {

using NttQuotients = NttConformance;

/// Random a and b with c = a * b row by row.
template <class Fr>
struct Rows {
  std::vector<Fr> a, b, c;

  Rows(Random& random, uint64_t size) : a(random.elements<Fr>(size)), b(random.elements<Fr>(size)), c(size) {
    for (size_t i = 0; i < size; ++i) c[i] = a[i] * b[i];
  }
};

/// A B - C of the interpolating polynomials, 2n - 1 coefficients, by the schoolbook.
template <class C>
std::vector<typename C::Fr> numerator(const DomainCase<C>& domain, const Rows<typename C::Fr>& rows) {
  using Fr = typename C::Fr;
  const auto a = interpolate<C>(domain, rows.a), b = interpolate<C>(domain, rows.b), c = interpolate<C>(domain, rows.c);
  std::vector<Fr> product(2 * domain.size() - 1);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  for (size_t i = 0; i < c.size(); ++i) product[i] -= c[i];
  return product;
}

TEST_P(NttQuotients, MonomialBasis) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(41);
    for (const uint64_t generator : {5U, C::kId == CUZK_BLS12_381 ? 7U : 5U}) {
      for (unsigned log2_size = 0; log2_size <= 6; ++log2_size) {
        SCOPED_TRACE(log2_size);
        const auto domain = DomainCase<C>::monomial(log2_size, generator);
        const Rows<Fr> rows(random, domain.size());
        // division by x^n - 1: the high half of the numerator is the quotient, and the low half must be its negative
        const auto top = numerator(domain, rows);
        std::vector<Fr> h(domain.size());
        for (size_t i = 0; i + 1 < domain.size(); ++i) {
          h[i] = top[domain.size() + i];
          ASSERT_TRUE(top[i] == -h[i]) << "the suite's own oracle leaves a remainder";
        }
        NttRunner<C> runner(engine, component, domain);
        EXPECT_TRUE(runner.quotient(rows.a, rows.b, rows.c) == h);
      }
    }
  });
}

TEST_P(NttQuotients, CosetLagrangeBasis) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(42);
    for (unsigned log2_size = 0; log2_size <= 6; ++log2_size) {
      SCOPED_TRACE(log2_size);
      for (const bool with_z : {false, true}) {
        auto domain = DomainCase<C>::lagrange(log2_size);
        if (with_z) domain.z_inverse = random.element<Fr>();
        const Rows<Fr> rows(random, domain.size());
        const auto top = numerator(domain, rows);
        std::vector<Fr> h(domain.size());
        for (size_t k = 0; k < h.size(); ++k) h[k] = evaluate<Fr>(top, domain.coset_at(k)) * domain.z_inverse;
        NttRunner<C> runner(engine, component, domain);
        EXPECT_TRUE(runner.quotient(rows.a, rows.b, rows.c) == h);
      }
    }
  });
}

/// Larger sizes: A B - C = h Z at random points, by way of plain transforms, which other tests hold to the definition.
TEST_P(NttQuotients, HoldsAtRandomPointsForEverySize) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(43);
    for (unsigned log2_size = 7; log2_size <= max_log2(); ++log2_size) {
      SCOPED_TRACE(log2_size);
      const auto domain = DomainCase<C>::monomial(log2_size);
      const Rows<Fr> rows(random, domain.size());
      NttRunner<C> runner(engine, component, domain);
      const auto h = runner.quotient(rows.a, rows.b, rows.c);
      EXPECT_TRUE(h.back().is_zero());
      const Fr x = random.element<Fr>();
      const auto value = [&](const std::vector<Fr>& v) { return evaluate<Fr>(runner.transform(v, CUZK_INVERSE), x); };
      EXPECT_TRUE(value(rows.a) * value(rows.b) - value(rows.c) ==
                  evaluate<Fr>(h, x) * (power(x, domain.size()) - Fr::one()));

      auto odd = DomainCase<C>::lagrange(log2_size);
      NttRunner<C> snarkjs(engine, component, odd);
      const auto values = snarkjs.quotient(rows.a, rows.b, rows.c);
      for (const uint64_t k : {uint64_t{0}, uint64_t{1}, odd.size() / 2 + 1, odd.size() - 1}) {
        const Fr at = odd.coset_at(k);
        EXPECT_TRUE(values[k] == evaluate<Fr>(h, at) * (power(at, odd.size()) - Fr::one())) << k;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, NttQuotients, testing::ValuesIn(ntt_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttQuotients);

}  // namespace
}  // namespace cuzk::conformance
