/// MSM: what a job promises about ranges, masks, several queries, chunks, memory and threads.

#include "msm_case.hpp"

namespace cuzk::conformance {
namespace {

using MsmJobs = MsmConformance;
using MsmMasks = MsmConformance;      ///< components that take masks
using MsmManyJobs = MsmConformance;   ///< and several queries of both groups
using MsmUnaligned = MsmConformance;  ///< and read host memory

TEST_P(MsmJobs, RangesOfTheScalars) {
  run([]<class G>(MsmRunner& runner) {
    Random random(11);
    const auto scalars = random.elements<typename G::Scalar>(200);
    for (const uint64_t first : {0U, 1U, 63U, 64U, 199U, 200U}) {
      for (const uint64_t span : {uint64_t{0}, uint64_t{1}, 200 - first}) {
        if (first + span > 200) continue;
        runner.check(scalars, {}, QueryCase<G>{Bases<G>::distinct(span, 1), first, span, {}});
      }
    }
  });
}

TEST_P(MsmMasks, OfAnySizeAndDensity) {
  run([]<class G>(MsmRunner& runner) {
    Random random(12);
    const auto scalars = random.elements<typename G::Scalar>(1500);
    auto mostly_zero = scalars;
    for (size_t i = 0; i < mostly_zero.size(); ++i) {
      if (i % 32 < 30) mostly_zero[i] = G::Scalar::from_u64(i / 32 % 2);
    }
    for (const size_t span : {1U, 63U, 64U, 65U, 128U, 1000U}) {
      for (const unsigned percent : {0U, 3U, 50U, 100U}) {
        SCOPED_TRACE(std::to_string(percent) + " % of " + std::to_string(span));
        const auto mask = random_mask(random, span, percent);
        runner.check(scalars, {}, masked<G>(mask, 0));
        runner.check(scalars, {.form = CUZK_CANONICAL, .chunks = {100, 7}}, masked<G>(mask, 77));
        runner.check(mostly_zero, {.chunks = {33}}, masked<G>(mask, 77));
      }
    }
    std::vector<bool> last_only(1000);
    last_only.back() = true;
    runner.check(scalars, {}, masked<G>(last_only, 500));
  });
}

TEST_P(MsmManyJobs, OverOneVector) {
  run([]<class G>(MsmRunner& runner) {
    using G1 = typename G::Curve::G1;
    using G2 = typename G::Curve::G2;
    Random random(13);
    const size_t n = 700;
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto mask = random_mask(random, n, 25);
    for (const uint32_t form : {CUZK_MONTGOMERY, CUZK_CANONICAL}) {
      runner.check(scalars, {.form = form, .chunks = {300}},
                   QueryCase<G1>{Bases<G1>::distinct(n - 2, 4), 2, n - 2, {}},  // l
                   whole(Bases<G1>::distinct(n, 1)),                            // a
                   masked<G1>(mask, 0), masked<G2>(mask, 0),                    // b1, b2
                   QueryCase<G1>{{}, 0, 0, {}});
    }
  });
}

TEST_P(MsmJobs, ChunksOfAnySize) {
  run([]<class G>(MsmRunner& runner) {
    Random random(14);
    const size_t n = 600;
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto query = whole(Bases<G>::distinct(n, 1));
    const auto expected = runner.check(scalars, {}, query);
    for (const std::vector<uint64_t>& chunks :
         {std::vector<uint64_t>{1, 2, 3, 5, 500}, {64}, {599}, {7, 193}, {0, 300}}) {
      EXPECT_EQ(runner.check(scalars, {.chunks = chunks}, query), expected);
    }
    // everything meets in few buckets, chunk after chunk
    const std::vector<typename G::Scalar> equal(n, G::Scalar::from_u64(3));
    runner.check(equal, {.chunks = {1, 50}}, whole(Bases<G>::all_generator(n)));
  });
}

/// Few scalars that are not zero, far apart or together, in chunks that end anywhere: most chunks, or all, have none.
TEST_P(MsmJobs, SparseScalarsInChunksOfAnySize) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(17);
    for (const size_t n : {31U, 32U, 33U, 517U}) {
      const auto query = whole(Bases<G>::distinct(n, 1));
      const auto check = [&](const char* what, auto&& scalar_at) {
        SCOPED_TRACE(std::string(what) + " of " + std::to_string(n));
        std::vector<Fr> scalars(n);
        for (size_t i = 0; i < n; ++i) scalars[i] = scalar_at(i);
        const uint32_t form = n % 2 == 0 ? CUZK_CANONICAL : CUZK_MONTGOMERY;
        const auto expected = runner.check(scalars, {.form = form}, query);
        for (const std::vector<uint64_t>& chunks : {std::vector<uint64_t>{1, 30, 2, 64}, {32}, {45, 3}}) {
          EXPECT_EQ(runner.check(scalars, {.form = form, .chunks = chunks}, query), expected);
        }
      };
      check("none", [](size_t) { return Fr::zero(); });
      check("the first", [&](size_t i) { return i == 0 ? random.element<Fr>() : Fr::zero(); });
      check("the last", [&](size_t i) { return i == n - 1 ? -Fr::one() : Fr::zero(); });
      check("the second half", [&](size_t i) { return i < n / 2 ? Fr::zero() : random.element<Fr>(); });
      check("one in 40", [&](size_t i) { return i % 40 == 39 ? random.element<Fr>() : Fr::zero(); });
      check("of growing length", [&](size_t i) {
        return i % 2 == 0 ? Fr::zero() : Fr::from_u64(random.word() >> (i % 64)) * Fr::from_u64(i * i + 1);
      });
    }
  });
}

TEST_P(MsmUnaligned, Operands) {
  run([]<class G>(MsmRunner& runner) {
    Random random(15);
    const size_t n = 333;
    const auto scalars = random.elements<typename G::Scalar>(n);
    for (const uint64_t misalign : {1U, 4U, 12U}) {
      const Manner manner{.form = CUZK_CANONICAL, .chunks = {100}, .misalign = misalign};
      runner.check(scalars, manner, whole(Bases<G>::distinct(n, 1)));
      runner.check(scalars, manner, masked<G>(random_mask(random, n, 40), 0));
    }
  });
}

TEST_P(MsmJobs, PlansAreMonotoneAndTheLeastWorks) {
  run([]<class G>(MsmRunner& runner) {
    Random random(16);
    const size_t n = 3000;
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto query = whole(Bases<G>::distinct(n, 1));
    const cuzk_query q = MsmRunner::query(query);
    const auto need = [&](uint64_t limit) {
      return runner.component().plan_job(runner.place().info(), {&q, 1}, limit);
    };
    const cuzk_plan most = need(UINT64_MAX);
    const uint64_t least = std::max<uint64_t>(most.minimum, 1);
    uint64_t before = 0;
    for (uint64_t limit = least; limit < 2 * (most.workspace + most.unmanaged); limit += limit / 3 + 1) {
      const cuzk_plan plan = need(limit);
      EXPECT_LE(plan.workspace + plan.unmanaged, limit);
      EXPECT_GE(plan.workspace + plan.unmanaged, before) << "more memory, a smaller plan";
      EXPECT_EQ(plan.minimum, most.minimum);
      before = plan.workspace + plan.unmanaged;
      runner.check(scalars, {.limit = limit}, query);
    }
  });
}

TEST_P(MsmJobs, PlansTheLargestQueries) {
  run([]<class G>(MsmRunner& runner) {
    cuzk_query q{};
    q.count = q.span = uint64_t{1} << 28;
    q.curve = G::Curve::kId;
    q.group = kGroupId<G>;
    const cuzk_plan plan = runner.component().plan_job(runner.place().info(), {&q, 1}, UINT64_MAX);
    EXPECT_GE(plan.workspace + plan.unmanaged, plan.minimum);
    EXPECT_GT(plan.minimum, 0U);
  });
}

TEST_P(MsmJobs, SameBytesForAnyNumberOfThreads) {
  on_group(GetParam().curve, GetParam().group, [&]<class G>() {
    Random random(17);
    const size_t n = (size_t{1} << options().max_log2) / 2 + 3;
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto query = whole(Bases<G>::distinct(n, 1));
    std::vector<std::byte> first;
    for (const uint32_t threads : {1U, 2U, 7U}) {
      Engine engine(threads);
      MsmRunner runner(engine, GetParam().component);
      const auto bytes = runner.check(scalars, {}, query);
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << threads << " threads";
    }
  });
}

/// Two jobs of one instance at once: the first is finished while the second is fed.
TEST_P(MsmJobs, FinishBesideTheNextJob) {
  run([]<class G>(MsmRunner& runner) {
    Random random(18);
    const size_t n = 100;
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto bases = Bases<G>::distinct(n, 1);
    const auto query = whole(bases);
    const cuzk_query q = MsmRunner::query(query);
    Place& place = runner.place();
    const cuzk_plan plan = runner.component().plan_job(place.info(), {&q, 1}, UINT64_MAX);
    const auto scalar_memory = runner.scalar_buffer(scalars, {});
    const cuzk_vec vec{scalar_memory->mem(), n, G::Curve::kId, CUZK_MONTGOMERY, {}};
    Buffer chunk(place, bases.points.data(), n * sizeof(bases.points[0]));
    Buffer workspace(place, plan.workspace);  // the next job's as soon as the first one ended
    const Lease lease = place.lease(workspace.mem());
    const auto run_to_end = [&] {
      auto job = runner.msm().start(lease, vec, {&q, 1}, plan);
      const cuzk_fence free = place.fence(), done = place.fence();
      job->feed(lease, 0, chunk.mem(), 0, n, {}, free);
      job->end(lease, done);
      place.wait(done);
      return job;
    };
    const auto first = run_to_end();
    const auto second = run_to_end();
    for (const auto* job : {&first, &second}) {
      arith::Affine<G> sum;
      void* out[] = {&sum};
      (*job)->finish(out);
      EXPECT_TRUE(sum == query.expected(scalars));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmJobs, testing::ValuesIn(msm_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmJobs);
INSTANTIATE_TEST_SUITE_P(Plugin, MsmMasks,
                         testing::ValuesIn(msm_params([](const Offer& offer, Group) { return offer.selects; })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmMasks);
INSTANTIATE_TEST_SUITE_P(Plugin, MsmManyJobs, testing::ValuesIn(msm_params([](const Offer& offer, Group group) {
                           return group == Group::g1 && ((offer.groups >> CUZK_G2) & 1) != 0 && offer.many &&
                                  offer.selects;
                         })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmManyJobs);
INSTANTIATE_TEST_SUITE_P(Plugin, MsmUnaligned, testing::ValuesIn(msm_params([](const Offer& offer, Group) {
                           return offer.host_addressable && offer.selects;
                         })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmUnaligned);

}  // namespace
}  // namespace cuzk::conformance
