/// The constants that the fields derive, against values made elsewhere, and the choice of kernels.

#include "field_cases.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace cuzk::arith::field_test {
namespace {

const bool kAdxBeforeMain = cpu::adx_enabled();

template <class F>
class FieldConstants : public ::testing::Test {};
using Fields = ::testing::Types<Bn254Fr, Bn254Fp, Bls12381Fr, Bls12381Fp>;
TYPED_TEST_SUITE(FieldConstants, Fields);

Integer parse(const nlohmann::json& hex) {
  Integer r;
  EXPECT_EQ(mpz_set_str(r.get(), hex.get<std::string>().c_str(), 0), 0) << hex;
  return r;
}

TYPED_TEST(FieldConstants, AreThoseOfTheVectors) {
  using F = TypeParam;
  const std::string path = CUZK_TEST_VECTORS "/arith/fields.json";
  std::ifstream file(path);
  ASSERT_TRUE(file) << "cannot open " << path;
  const auto known = nlohmann::json::parse(file).at(F::kName);
  EXPECT_EQ(modulus<F>(), parse(known.at("modulus")));
  EXPECT_EQ(mpz_sizeinbase(modulus<F>().get(), 2), F::kBits);
  EXPECT_NE(mpz_probab_prime_p(modulus<F>().get(), 30), 0);
  EXPECT_EQ(Integer(F::Constants::kR), parse(known.at("R")));
  EXPECT_EQ(Integer(F::Constants::kR2), parse(known.at("R2")));
  EXPECT_EQ(Integer(LimbArray<1>{F::Constants::kInv64}), parse(known.at("n0")));
  EXPECT_EQ(Integer(F::one().limb), parse(known.at("one")));
  EXPECT_EQ(Integer((-F::one()).limb), parse(known.at("minus_one")));
  EXPECT_EQ(integer(F::from_u64(2).inverse()), parse(known.at("two_inverse")));
  EXPECT_EQ(integer(F::one().halved()), parse(known.at("two_inverse")));
}

TEST(Cpu, ChoosesBeforeMainAndCanBeOverruled) {
  EXPECT_EQ(kAdxBeforeMain, cpu::has_adx());
  EXPECT_EQ(cpu::adx_enabled(), cpu::has_adx());
  EXPECT_FALSE(cpu::set_adx_enabled(false));
  EXPECT_FALSE(cpu::adx_enabled());
  EXPECT_EQ(cpu::set_adx_enabled(true), cpu::has_adx());
  EXPECT_EQ(cpu::adx_enabled(), cpu::has_adx());
}

}  // namespace
}  // namespace cuzk::arith::field_test
