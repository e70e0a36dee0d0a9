#include "vectors.hpp"

#include <gtest/gtest.h>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::testing {
namespace {

class Verify : public ::testing::TestWithParam<const char*> {
 protected:
  HostServices services_{1};
  Circuit circuit_{services_, GetParam()};
  Proof proof_ = read_proof(vector_path(GetParam(), "proof.json"));
  bool holds(const Proof& proof) { return verify(circuit_.verifying_key, circuit_.signals, proof); }
};

TEST_P(Verify, AcceptsTheProof) { EXPECT_TRUE(holds(proof_)); }

TEST_P(Verify, RefusesChangedPoints) {
  std::visit(
      [&]<class C>(const ProofOf<C>& good) {
        using P = ProofOf<C>;
        const auto g1 = C::G1::generator();
        const auto g2 = C::G2::generator();
        for (const P& bad :
             {P{-good.a, good.c, good.b}, P{good.a, -good.c, good.b}, P{good.a, good.c, -good.b},
              P{good.c, good.a, good.b}, P{g1, good.c, good.b}, P{good.a, g1, good.b}, P{good.a, good.c, g2},
              P{{}, good.c, good.b}, P{good.a, {}, good.b}, P{good.a, good.c, {}}, P{{}, {}, {}}}) {
          EXPECT_FALSE(holds(bad));
        }
        P off = good;
        off.a.y = off.a.y + off.a.y;
        EXPECT_FALSE(holds(off));
      },
      proof_);
}

TEST_P(Verify, RefusesPointsOutsideTheSubgroup) {
  std::visit(
      [&]<class C>(const ProofOf<C>& good) {
        // A point of the twist's other part: the first x with a y; the cofactor is large, so it is in the subgroup
        // never by chance.
        using Fp2 = typename C::Fp2;
        arith::Affine<typename C::G2> point;
        for (uint64_t x = 1;; ++x) {
          point.x = Fp2::from_u64(x);
          const auto y = (point.x.square() * point.x + C::G2::b()).sqrt();
          if (!y) continue;
          point.y = *y;
          if (!arith::in_subgroup(point)) break;
        }
        ASSERT_TRUE(point.on_curve());
        ProofOf<C> bad = good;
        bad.b = point;
        EXPECT_FALSE(holds(bad));
      },
      proof_);
}

TEST_P(Verify, RefusesOtherSignals) {
  for (size_t i = 0; i < circuit_.signals.size(); ++i) {
    PublicSignals other = circuit_.signals;
    other[i].limb[0] ^= 1;
    EXPECT_FALSE(verify(circuit_.verifying_key, other, proof_));
  }
  PublicSignals longer = circuit_.signals;
  longer.push_back({});
  EXPECT_THROW(verify(circuit_.verifying_key, longer, proof_), Error);
  if (!circuit_.signals.empty()) {
    EXPECT_THROW(verify(circuit_.verifying_key, std::span(circuit_.signals).subspan(1), proof_), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Groth16, Verify,
                         ::testing::Values("bn128/multiplier", "bn128/nopublic", "bn128/multipublic",
                                           "bls12381/multiplier", "bls12381/nopublic", "bls12381/multipublic"),
                         [](const auto& test) {
                           std::string name = test.param;
                           name[name.find('/')] = '_';
                           return name;
                         });

TEST(VerifyCurves, NamesBothWhenTheyDiffer) {
  const VerifyingKey key = read_verification_key(vector_path("bn128/multiplier", "verification_key.json"));
  const Proof proof = read_proof(vector_path("bls12381/multiplier", "proof.json"));
  try {
    verify(key, {}, proof);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_STREQ(error.what(), "the proof is on bls12-381, the verification key on bn254");
  }
}

}  // namespace
}  // namespace cuzk::testing
