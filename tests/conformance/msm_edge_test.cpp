/// MSM: sizes, points and scalars where implementations have been wrong.

#include "msm_case.hpp"

namespace cuzk::conformance {
namespace {

using MsmEdges = MsmConformance;

TEST_P(MsmEdges, AllGeneratorAtEverySize) {
  run([]<class G>(MsmRunner& runner) {
    Random random(1);
    for (const size_t n : edge_sizes(options().max_log2)) {
      SCOPED_TRACE(n);
      const uint32_t form = n % 2 == 0 ? CUZK_MONTGOMERY : CUZK_CANONICAL;
      runner.check(random.elements<typename G::Scalar>(n), {.form = form}, whole(Bases<G>::all_generator(n)));
    }
  });
}

TEST_P(MsmEdges, EqualScalars) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    const Fr half = -Fr::one().halved();  // (r - 1) / 2
    Fr high = Fr::one();
    for (size_t i = 1; i < Fr::kBits; ++i) high = high.doubled();  // the top bit alone
    for (const Fr& s : {Fr::zero(), Fr::one(), -Fr::one(), Fr::from_u64(2), -Fr::from_u64(2), half, half + Fr::one(),
                        high, high - Fr::one(), Fr::from_u64(~uint64_t{0}), -Fr::from_u64(1U << 15)}) {
      for (const size_t n : {1U, 2U, 7U, 300U}) {
        SCOPED_TRACE(n);
        for (const uint32_t form : {CUZK_MONTGOMERY, CUZK_CANONICAL}) {
          runner.check(std::vector<Fr>(n, s), {.form = form}, whole(Bases<G>::distinct(n, 1)));
        }
      }
    }
  });
}

TEST_P(MsmEdges, PowersOfTwoAndTheirNeighbours) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    std::vector<Fr> scalars;
    Fr power = Fr::one();
    for (size_t i = 0; i < Fr::kBits; ++i, power = power.doubled()) {
      for (const Fr& s : {power, power - Fr::one(), power + Fr::one(), -power}) scalars.push_back(s);
    }
    runner.check(scalars, {.form = CUZK_CANONICAL}, whole(Bases<G>::distinct(scalars.size(), 5)));
  });
}

TEST_P(MsmEdges, PointsAtInfinity) {
  run([]<class G>(MsmRunner& runner) {
    Random random(2);
    for (const size_t n : {1U, 3U, 257U, 1000U}) {
      const auto scalars = random.elements<typename G::Scalar>(n);
      const auto with = [&](const char* which, auto&& is_infinity) {
        SCOPED_TRACE(std::string(which) + " of " + std::to_string(n));
        auto bases = Bases<G>::distinct(n, 1);
        for (size_t i = 0; i < n; ++i) {
          if (is_infinity(i)) bases.set_infinity(i);
        }
        runner.check(scalars, {}, whole(std::move(bases)));
      };
      with("first", [](size_t i) { return i == 0; });
      with("last", [n](size_t i) { return i == n - 1; });
      with("middle", [n](size_t i) { return i == n / 2; });
      with("half", [](size_t i) { return i % 2 == 1; });
      with("all but one", [n](size_t i) { return i != n / 3; });
      with("all", [](size_t) { return true; });
    }
  });
}

TEST_P(MsmEdges, EqualAndOppositePoints) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(3);
    const auto patterns = [&](size_t n, const std::vector<Fr>& scalars) {
      SCOPED_TRACE(n);
      auto twice = Bases<G>::distinct(n, 9);
      for (size_t i = 1; i < n; i += 2) twice.copy(i, i - 1);
      auto opposite = twice;
      for (size_t i = 1; i < n; i += 2) opposite.negate(i);
      auto triple = Bases<G>::all_generator(n);  // P, -P, 2P, ...
      const auto two = Bases<G>::distinct(1, 2);
      for (size_t i = 0; i < n; ++i) {
        if (i % 3 == 1) triple.negate(i);
        if (i % 3 == 2) triple.set(i, two.points[0], two.logs[0]);
      }
      auto halves = Bases<G>::all_generator(n);  // all P, then all -P
      for (size_t i = n / 2; i < n; ++i) halves.negate(i);
      runner.check(scalars, {}, whole(std::move(twice)));
      runner.check(scalars, {}, whole(std::move(opposite)));
      runner.check(scalars, {}, whole(std::move(triple)));
      runner.check(scalars, {}, whole(std::move(halves)));
    };
    for (unsigned k = 1; k <= options().max_log2; k += 2) {
      for (const size_t n : {(size_t{1} << k) - 1, size_t{1} << k, (size_t{1} << k) + 1}) {
        patterns(n, std::vector<Fr>(n, Fr::one()));
        if (n < 600) patterns(n, random.elements<Fr>(n));
      }
    }
  });
}

TEST_P(MsmEdges, WitnessLikeScalars) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(4);
    const size_t n = (size_t{1} << options().max_log2) + 7;
    std::vector<Fr> scalars;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t kind = random.below(100);
      scalars.push_back(kind < 45   ? Fr::zero()
                        : kind < 90 ? Fr::one()
                        : kind < 93 ? -Fr::one()
                        : kind < 97 ? Fr::from_u64(random.word() >> 32)
                                    : random.element<Fr>());
    }
    const auto bases = Bases<G>::distinct(n, 1);
    for (const uint32_t form : {CUZK_MONTGOMERY, CUZK_CANONICAL}) runner.check(scalars, {.form = form}, whole(bases));
  });
}

TEST_P(MsmEdges, OnlyZerosAndOnesAtEverySize) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(6);
    for (const size_t n : edge_sizes(options().max_log2)) {
      SCOPED_TRACE(n);
      std::vector<Fr> scalars(n);
      for (Fr& s : scalars) s = random.chance(50) ? Fr::one() : Fr::zero();
      runner.check(scalars, {.form = CUZK_CANONICAL}, whole(Bases<G>::all_generator(n)));
    }
  });
}

/// Points from nowhere near the generator against plain double-and-add.
TEST_P(MsmEdges, AgreesWithDoubleAndAdd) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(5);
    constexpr size_t kCount = 40;
    QueryCase<G> query;
    auto sum = arith::Xyzz<G>::infinity();
    const auto scalars = random.elements<Fr>(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      const Fr log = random.element<Fr>();
      const auto power = [](const arith::Affine<G>& base, const Fr& s) {
        auto result = arith::Xyzz<G>::infinity();
        const auto bits = s.to_canonical();
        for (size_t bit = Fr::kBits; bit-- > 0;) {
          result = result.doubled();
          if (((bits[bit / 64] >> (bit % 64)) & 1) != 0) result += base;
        }
        return result;
      };
      query.bases.points.push_back(power(G::generator(), log).to_affine());
      query.bases.logs.push_back(log);
      sum += power(query.bases.points.back(), scalars[i]);
    }
    query.span = kCount;
    EXPECT_TRUE(query.expected(scalars) == sum.to_affine()) << "the suite's own oracles differ";
    runner.check(scalars, {}, query);
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmEdges, testing::ValuesIn(msm_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmEdges);

}  // namespace
}  // namespace cuzk::conformance
