// Core's quotient over any transform, against polynomials multiplied and divided by hand; both curves, both bases of h.
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include <cuzk/arith/fields.hpp>
#include <cuzk/error.hpp>
#include <cuzk/ntt_defaults.hpp>

namespace cuzk::test {
namespace {

constexpr size_t kLog = 3, kSize = size_t{1} << kLog;

template <class Fr>
class NttDefaults : public ::testing::Test {
 protected:
  using Vector = std::vector<Fr>;

  NttDefaults() {
    // A root of unity of order 2^kLog: a non-residue to the power (p - 1) / 2^kLog.
    typename Fr::Limbs exponent = Fr::modulus();
    exponent[0] -= 1;
    for (size_t i = 0; i < exponent.size(); ++i) {
      exponent[i] = (exponent[i] >> kLog) | (i + 1 < exponent.size() ? exponent[i + 1] << (64 - kLog) : 0);
    }
    omega = Fr::from_u64(Fr::Params::kNonResidue).pow(exponent);
    shift = Fr::from_u64(Fr::Params::kNonResidue);
    const std::array<uint64_t, 1> size{kSize};
    z_inverse = (shift.pow(size) - Fr::one()).inverse();
    domain.curve = std::is_same_v<Fr, arith::Bn254Fr> ? CUZK_BN254 : CUZK_BLS12_381;
    domain.log2_size = kLog;
    std::memcpy(domain.z_inverse.limb, z_inverse.limb.data(), sizeof(cuzk_fr));
  }

  Vector random_vector() {
    Vector v;
    for (size_t i = 0; i < kSize; ++i) v.push_back(Fr::from_u64(random()) * Fr::from_u64(random()));
    return v;
  }
  static Fr evaluate(const Vector& coefficients, const Fr& x) {
    Fr sum = Fr::zero();
    for (size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
  }
  Fr point(size_t i, const Fr& offset) const {
    Fr x = offset;
    for (size_t k = 0; k < i; ++k) x *= omega;
    return x;
  }
  /// Values of a polynomial on offset * <omega>.
  Vector values(const Vector& coefficients, const Fr& offset) const {
    Vector v;
    for (size_t i = 0; i < kSize; ++i) v.push_back(evaluate(coefficients, point(i, offset)));
    return v;
  }
  /// Coefficients below kSize from the values on offset * <omega>, by the definition of the inverse transform.
  Vector coefficients(const Vector& values_there, const Fr& offset) const {
    Vector v;
    const Fr scale = Fr::from_u64(kSize).inverse();
    for (size_t k = 0; k < kSize; ++k) {
      Fr sum = Fr::zero();
      for (size_t i = 0; i < kSize; ++i) {
        const std::array<uint64_t, 1> power{(kSize * kSize - i * k) % kSize};
        sum += values_there[i] * omega.pow(power);
      }
      const std::array<uint64_t, 1> power{k};
      v.push_back(sum * scale * offset.inverse().pow(power));
    }
    return v;
  }
  void transform(const cuzk_vec& vec, uint32_t kind) {
    Vector v(kSize);
    std::memcpy(static_cast<void*>(v.data()), vec.mem.data, kSize * sizeof(Fr));
    switch (kind) {
      case CUZK_FORWARD:
        v = values(v, Fr::one());
        break;
      case CUZK_INVERSE:
        v = coefficients(v, Fr::one());
        break;
      case CUZK_COSET_FORWARD:
        v = values(v, shift);
        break;
      default:
        v = coefficients(v, shift);
        break;
    }
    std::memcpy(vec.mem.data, v.data(), kSize * sizeof(Fr));
  }
  cuzk_vec vec(Vector& v) const {
    return {{v.data(), v.size() * sizeof(Fr), {CUZK_SPACE_HOST, 0}}, v.size(), domain.curve, CUZK_MONTGOMERY, {}};
  }
  /// h's values on the coset, or its coefficients, for the values a, b and c = a * b on the domain.
  Vector quotient(Vector a, Vector b, Vector c, uint32_t h_basis) {
    domain.h_basis = h_basis;
    const auto transformed = [&](const cuzk_vec& v, uint32_t kind, cuzk_fence) { transform(v, kind); };
    const auto multiplied = [&](const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op, cuzk_fence) {
      ntt_defaults::pointwise(pool, domain, out, x, y, op);
    };
    ntt_defaults::quotient_ab(transformed, multiplied, vec(a), vec(b), {});
    ntt_defaults::quotient_c(transformed, multiplied, domain, vec(a), vec(c), {});
    return a;
  }

  CpuPool pool{2};
  std::mt19937_64 random{7};
  Fr omega, shift, z_inverse;
  cuzk_domain domain{};
};

using ScalarFields = ::testing::Types<arith::Bn254Fr, arith::Bls12381Fr>;
TYPED_TEST_SUITE(NttDefaults, ScalarFields);

TYPED_TEST(NttDefaults, TheQuotientTimesZIsAbMinusC) {
  using Fr = TypeParam;
  const auto a = this->random_vector(), b = this->random_vector();
  std::vector<Fr> c;
  for (size_t i = 0; i < kSize; ++i) c.push_back(a[i] * b[i]);
  const auto h = this->quotient(a, b, c, CUZK_H_MONOMIAL);
  EXPECT_TRUE(h.back().is_zero());
  EXPECT_EQ(this->quotient(a, b, c, CUZK_H_COSET_LAGRANGE), this->values(h, this->shift));

  // At points that belong to neither domain nor coset.
  const auto pa = this->coefficients(a, Fr::one()), pb = this->coefficients(b, Fr::one()),
             pc = this->coefficients(c, Fr::one());
  for (uint64_t x : {123456789u, 987654321u}) {
    const Fr at = Fr::from_u64(x);
    const std::array<uint64_t, 1> size{kSize};
    const Fr z = at.pow(size) - Fr::one();
    EXPECT_EQ(this->evaluate(h, at) * z, this->evaluate(pa, at) * this->evaluate(pb, at) - this->evaluate(pc, at));
  }
}

TYPED_TEST(NttDefaults, PointwiseInPlaceAndOverManyRanges) {
  using Fr = TypeParam;
  std::vector<Fr> x, y;
  for (uint64_t i = 0; i < 20000; ++i) {
    x.push_back(Fr::from_u64(i + 5));
    y.push_back(Fr::from_u64(3 * i));
  }
  auto product = x, difference = y;
  ntt_defaults::pointwise(this->pool, this->domain, this->vec(product), this->vec(product), this->vec(y), CUZK_MUL);
  ntt_defaults::pointwise(this->pool, this->domain, this->vec(difference), this->vec(x), this->vec(difference),
                          CUZK_SUB_SCALE);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(product[i], x[i] * y[i]);
    ASSERT_EQ(difference[i], (x[i] - y[i]) * this->z_inverse);
  }
  std::vector<Fr> shorter(5);
  EXPECT_THROW(
      ntt_defaults::pointwise(this->pool, this->domain, this->vec(shorter), this->vec(x), this->vec(y), CUZK_MUL),
      Error);
  EXPECT_THROW(ntt_defaults::pointwise(this->pool, this->domain, this->vec(x), this->vec(x), this->vec(y), 2), Error);
}

}  // namespace
}  // namespace cuzk::test
