#include "synthetic_key.hpp"
#include "vectors.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/arith/xyzz.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/check_key.hpp>

namespace cuzk::testing {
namespace {

using arith::Affine;
using arith::Bls12381;
using arith::Bn254;

/// A point of the curve that is not in the group: the first x at or behind `start` that gives one.
template <class G>
Affine<G> stranger(uint64_t start) {
  for (auto x = G::Base::from_u64(start);; x += G::Base::one()) {
    const auto y = (x.square() * x + G::b()).sqrt();
    if (y && !arith::in_subgroup(Affine<G>{x, *y})) return {x, *y};
  }
}

/// Points of a good key, some of which are replaced. read() counts, as keys of other formats decode.
class Replaced final : public PointSource {
 public:
  Replaced(const PointSource& good, size_t point_bytes, bool direct)
      : bytes_(good.count() * point_bytes), point_bytes_(point_bytes), direct_(direct) {
    good.read(0, good.count(), bytes_.data());
  }
  template <class G>
  void set(uint64_t index, const Affine<G>& point) {
    std::memcpy(&bytes_[index * point_bytes_], &point, sizeof point);
  }
  uint64_t count() const override { return bytes_.size() / point_bytes_; }
  const std::byte* direct() const override { return direct_ ? bytes_.data() : nullptr; }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    std::memcpy(dst, bytes_.data() + first * point_bytes_, count * point_bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  size_t point_bytes_;
  bool direct_;
};

class CheckKey : public ::testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<ProvingKey> open(const std::string& circuit) {
    // Opened for this test alone, so that it may be changed.
    return std::const_pointer_cast<ProvingKey>(
        open_zkey(vector_path(GetParam() + ("/" + circuit), "circuit.zkey"), pool_));
  }
  /// Makes the query's points replaceable.
  static Replaced& replace(ProvingKey& key, QueryId id, bool direct) {
    auto& points = key.queries[static_cast<size_t>(id)].points;
    auto replaced = std::make_unique<Replaced>(*points, point_bytes(key.shape.curve, group_of(id)), direct);
    Replaced& result = *replaced;
    points = std::move(replaced);
    return result;
  }
  void expect_refused(const ProvingKey& key, const std::string& what) {
    try {
      check_subgroups(key, pool_);
      ADD_FAILURE() << "accepted; expected: " << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.what(), key.name + ": " + what + " is not in the subgroup of prime order");
    }
  }

  CpuPool pool_{2};
};
using CheckKeyOfCofactor = CheckKey;
INSTANTIATE_TEST_SUITE_P(Curves, CheckKeyOfCofactor, ::testing::Values("bls12381"));
INSTANTIATE_TEST_SUITE_P(Curves, CheckKey, ::testing::Values("bn128", "bls12381"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(CheckKey, AcceptsRealKeys) {
  for (const char* circuit : {"multiplier", "nopublic", "poseidon2", "multipublic", "multipublic_O0"}) {
    EXPECT_NO_THROW(check_subgroups(*open(circuit), pool_)) << circuit;
  }
}

TEST_P(CheckKey, AcceptsKeysOfOtherFormats) {
  const Curve curve = GetParam() == std::string("bn128") ? Curve::bn254 : Curve::bls12_381;
  for (const bool encoded : {false, true}) {
    EXPECT_NO_THROW(check_subgroups(*synthetic_key({curve, CUZK_H_MONOMIAL, true, encoded}), pool_));
  }
}

TEST_P(CheckKey, NamesSectionAndFirstBadPoint) {
  // 4 and 243 points a query: each by itself, and in a batch.
  for (const auto& [circuit, direct] : {std::pair{"multiplier", true}, std::pair{"poseidon2", false}}) {
    const auto check = [&, circuit = circuit, direct = direct](QueryId id, const std::string& section,
                                                               const auto& bad) {
      const auto key = open(circuit);
      Replaced& points = replace(*key, id, direct);
      const uint64_t last = points.count() - 1;
      points.set(last, bad);
      expect_refused(*key, section + ": point " + std::to_string(last));
      points.set(last / 2, bad);
      expect_refused(*key, section + ": point " + std::to_string(last / 2));
      points.set(0, -bad);
      expect_refused(*key, section + ": point 0");
    };
    if (GetParam() == std::string("bn128")) {
      check(QueryId::b2, "section 7 (B2)", stranger<Bn254::G2>(1));
      continue;
    }
    check(QueryId::b2, "section 7 (B2)", stranger<Bls12381::G2>(1));
    const auto generic = stranger<Bls12381::G1>(1);
    const Affine<Bls12381::G1> of_order_3{arith::Bls12381Fp::zero(), arith::Bls12381Fp::from_u64(2)};
    for (const auto& bad : {generic, of_order_3}) {
      check(QueryId::h, "section 9 (H)", bad);
      check(QueryId::l, "section 8 (C)", bad);
      check(QueryId::a, "section 5 (A)", bad);
      check(QueryId::b1, "section 6 (B1)", bad);
    }
  }
}

// A single sum over all points, or one with coefficients of any length, would miss these always or every third time.
/// On BN254 every point of G1 is in the group.
TEST_P(CheckKeyOfCofactor, FindsPointsThatCancel) {
  const Affine<Bls12381::G1> of_order_3{arith::Bls12381Fp::zero(), arith::Bls12381Fp::from_u64(2)};
  for (int round = 0; round < 50; ++round) {
    const auto key = open("poseidon2");
    Replaced& points = replace(*key, QueryId::h, true);
    points.set(7, of_order_3);
    points.set(200, round % 2 == 0 ? -of_order_3 : of_order_3);
    if (round % 2 == 1) points.set(255, of_order_3);
    expect_refused(*key, "section 9 (H): point 7");
  }
}

TEST_P(CheckKey, LooksAtThePointsOfTheVerificationKey) {
  const auto refused = [&]<class C>(C, const auto& change, const std::string& what) {
    const auto key = open("multipublic");
    change(std::get<VerifyingKeyOf<C>>(key->verifying_key), std::get<BlindingPointsOf<C>>(key->blinding));
    expect_refused(*key, what);
  };
  const auto g2_of = [&]<class C>(C curve) {
    const auto bad = stranger<typename C::G2>(5);
    refused(
        curve, [&](auto& vk, auto&) { vk.beta2 = bad; }, "beta2");
    refused(
        curve, [&](auto& vk, auto&) { vk.gamma2 = bad; }, "gamma2");
    refused(
        curve, [&](auto& vk, auto&) { vk.delta2 = bad; }, "delta2");
  };
  if (GetParam() == std::string("bn128")) return g2_of(Bn254{});
  g2_of(Bls12381{});
  const auto bad = stranger<Bls12381::G1>(5);
  refused(
      Bls12381{}, [&](auto& vk, auto&) { vk.alpha1 = bad; }, "alpha1");
  refused(
      Bls12381{}, [&](auto&, auto& blinding) { blinding.beta1 = bad; }, "beta1");
  refused(
      Bls12381{}, [&](auto&, auto& blinding) { blinding.delta1 = bad; }, "delta1");
  refused(
      Bls12381{}, [&](auto& vk, auto&) { vk.ic[9] = bad; }, "IC: point 9");
}

}  // namespace
}  // namespace cuzk::testing
