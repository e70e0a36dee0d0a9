/// MSM: bases that are loaded once and stay in the component's space, as those of a key do.

#include "msm_case.hpp"

#include <cuzk/error.hpp>

namespace cuzk::conformance {
namespace {

using MsmResident = MsmConformance;
using MsmResidentJobs = MsmConformance;  ///< of several queries of both groups

constexpr uint64_t kAll = UINT64_MAX;

/// A limit for each plan between the one with all the memory it wants and the least, a quarter less each time.
/// plan: limit -> cuzk_plan.
template <class Plan>
std::vector<uint64_t> limits(Plan&& plan) {
  std::vector<uint64_t> all{UINT64_MAX};
  for (;;) {
    const cuzk_plan now = plan(all.back());
    const uint64_t taken = now.workspace + now.unmanaged;
    EXPECT_LE(taken, all.back());
    if (taken <= now.minimum || taken > all.back()) return all;
    all.push_back(std::max(now.minimum, taken - taken / 4 - 1));
  }
}

/// So many that the least memory takes several pieces, each in several steps.
size_t many_points() { return (size_t{1} << std::min(options().max_log2, 13U)) + 5; }

TEST_P(MsmResident, OneQuery) {
  run([]<class G>(MsmRunner& runner) {
    Random random(31);
    for (const size_t n : {size_t{1}, size_t{2}, size_t{333}, many_points()}) {
      SCOPED_TRACE(n);
      const auto scalars = random.elements<typename G::Scalar>(n + 9);
      auto bases = Bases<G>::distinct(n, 1);
      bases.set_infinity(n / 2);
      const QueryCase<G> query{std::move(bases), 9, n, {}};
      cuzk_query q = MsmRunner::query(query);
      const cuzk_device_info info = runner.place().info();
      q.plan = runner.component().plan_bases(info, q, UINT64_MAX);
      EXPECT_GT(q.plan.resident, 0U);
      const auto streamed = runner.check(scalars, {.chunks = {n}}, query);
      for (const uint64_t limit : limits([&](uint64_t most) {
             return runner.component().plan_job(info, {&q, 1}, most);
           })) {
        SCOPED_TRACE("limit " + std::to_string(limit));
        EXPECT_EQ(runner.check(scalars, {.chunks = {n / 3 + 1, 17}, .limit = limit, .resident = kAll}, query),
                  streamed);
      }
      EXPECT_EQ(runner.check(scalars, {.resident = kAll}, query), streamed);
    }
  });
}

TEST_P(MsmResident, StreamedWhereThereIsNoRoom) {
  run([]<class G>(MsmRunner& runner) {
    const cuzk_query q = MsmRunner::query(whole(Bases<G>::distinct(100, 1)));
    const cuzk_device_info info = runner.place().info();
    const uint64_t bytes = runner.component().plan_bases(info, q, UINT64_MAX).resident;
    EXPECT_EQ(runner.component().plan_bases(info, q, bytes).resident, bytes);
    EXPECT_LT(runner.component().plan_bases(info, q, bytes - 1).resident, bytes);
    EXPECT_EQ(runner.component().plan_bases(info, q, 0).resident, 0U);
  });
}

/// Tables of multiples, where the component makes some: of points of every kind, loaded in parts, for scalars of every
/// length, at any memory for them and for the job.
TEST_P(MsmResident, AnyRoomForTables) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(34);
    for (const size_t n : {size_t{1}, size_t{35}, std::min(many_points(), size_t{1031})}) {
      SCOPED_TRACE(n);
      auto bases = Bases<G>::distinct(n, 1);
      std::vector<Fr> scalars(n);
      for (size_t i = 0; i < n; ++i) {
        if (i % 11 == 3) bases.set_infinity(i);
        if (i % 11 == 5) bases.copy(i, i - 1);
        if (i % 11 == 7) {
          bases.copy(i, i - 1);
          bases.negate(i);
        }
        scalars[i] = i % 5 == 0   ? random.element<Fr>()
                     : i % 5 == 1 ? Fr::from_u64(random.word() >> random.below(64))
                     : i % 5 == 2 ? -Fr::one()
                                  : Fr::from_u64(i % 2);
      }
      scalars[n / 2] = Fr::one().halved();
      const QueryCase<G> query = whole(std::move(bases));
      const auto full_width = random.elements<Fr>(n);
      cuzk_query q = MsmRunner::query(query);
      const cuzk_device_info info = runner.place().info();
      uint64_t before = 0;
      for (const uint64_t room : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{5}, uint64_t{1} << 20}) {
        SCOPED_TRACE("room for " + std::to_string(room) + " tables");
        q.plan = runner.component().plan_bases(info, q, room * n * sizeof(query.bases.points[0]));
        EXPECT_GE(q.plan.resident, before) << "more room, fewer tables";
        before = q.plan.resident;
        const uint64_t least = runner.component().plan_job(info, {&q, 1}, UINT64_MAX).minimum;
        for (const uint64_t limit : {UINT64_MAX, least}) {
          const Manner manner{.form = room % 2 == 0 ? CUZK_CANONICAL : CUZK_MONTGOMERY,
                              .chunks = {n / 3 + 1, 17},
                              .limit = limit,
                              .resident = kAll,
                              .room = room};
          runner.check(scalars, manner, query);
          runner.check(full_width, manner, query);
          runner.check(std::vector<Fr>(n, Fr::zero()), manner, query);
        }
      }
    }
  });
}

/// {a, b1, b2, l} over one vector. Without masks a, b1 and b2 have the same scalars, with them b1 and b2 have.
TEST_P(MsmResidentJobs, QueriesOfTheSameScalars) {
  run([]<class G>(MsmRunner& runner) {
    using G1 = typename G::Curve::G1;
    using G2 = typename G::Curve::G2;
    Random random(32);
    const size_t n = many_points();
    const auto scalars = random.elements<typename G::Scalar>(n);
    const auto a = whole(Bases<G1>::distinct(n, 1));
    const QueryCase<G1> l{Bases<G1>::distinct(n - 2, 4), 2, n - 2, {}};
    const auto check = [&](const QueryCase<G1>& b1, const QueryCase<G2>& b2) {
      std::vector<cuzk_query> queries{MsmRunner::query(a), MsmRunner::query(b1), MsmRunner::query(b2),
                                      MsmRunner::query(l)};
      const cuzk_device_info info = runner.place().info();
      std::unique_ptr<Buffer> mask;
      if (b1.mask) queries[1].select = queries[2].select = (mask = runner.mask_buffer(*b1.mask, {}))->mem();
      for (cuzk_query& q : queries) q.plan = runner.component().plan_bases(info, q, UINT64_MAX);
      const auto plan = [&](uint64_t most) { return runner.component().plan_job(info, queries, most); };
      const auto streamed = runner.check(scalars, {}, a, b1, b2, l);
      for (const uint64_t limit : limits(plan)) {
        SCOPED_TRACE("limit " + std::to_string(limit));
        const Manner manner{.form = limit % 2 == 0 ? CUZK_CANONICAL : CUZK_MONTGOMERY,
                            .chunks = {n / 2 + 1, 333},
                            .limit = limit,
                            .resident = kAll,
                            .shared_masks = true};
        EXPECT_EQ(runner.check(scalars, manner, a, b1, b2, l), streamed);
      }
      for (const uint64_t resident : {0b0101U, 0b1010U, 0b0110U}) {
        SCOPED_TRACE("resident " + std::to_string(resident));
        const Manner manner{.chunks = {1000, 1}, .resident = resident, .shared_masks = true};
        EXPECT_EQ(runner.check(scalars, manner, a, b1, b2, l), streamed);
      }
      for (const uint64_t room : {1U, 2U, 3U}) {
        SCOPED_TRACE("room for " + std::to_string(room) + " tables");
        const Manner manner{.chunks = {n}, .resident = kAll, .room = room, .shared_masks = true};
        EXPECT_EQ(runner.check(scalars, manner, a, b1, b2, l), streamed);
      }
      EXPECT_EQ(runner.check(scalars, {.resident = kAll}, a, b1, b2, l), streamed);  // a buffer for each mask
    };
    check(whole(Bases<G1>::distinct(n, 7)), whole(Bases<G2>::distinct(n, 2)));
    const auto mask = random_mask(random, n, 60);
    check(masked<G1>(mask, 0), masked<G2>(mask, 0));
  });
}

template <class Call>
void expect_error(const char* what, Call&& call) {
  SCOPED_TRACE(what);
  EXPECT_THROW(call(), Error);
}

/// Each refused call leaves the bases as they were before it.
template <class G>
void wrong_loads(MsmRunner& runner) {
  constexpr size_t kCount = 50;
  const auto bases = Bases<G>::distinct(kCount, 1);
  Random random(33);
  const auto scalars = random.elements<typename G::Scalar>(kCount);
  Place& place = runner.place();
  const auto query = whole(bases);
  cuzk_query q = MsmRunner::query(query);
  q.plan = runner.component().plan_bases(place.info(), q, UINT64_MAX);
  const cuzk_plan plan = runner.component().plan_job(place.info(), {&q, 1}, UINT64_MAX);
  Buffer resident(place, q.plan.resident), workspace(place, std::max(plan.workspace, q.plan.workspace));
  Buffer chunk(place, bases.points.data(), kCount * sizeof(bases.points[0]));
  const Lease lease = place.lease(workspace.mem());
  std::unique_ptr<Msm::Bases> made;
  const auto load = [&](uint64_t first, uint64_t count, cuzk_mem memory, cuzk_mem points) {
    const cuzk_fence free = place.fence();
    runner.msm().load(lease, q, memory, points, first, count, {}, free, made);
    place.wait(free);
  };
  const auto points = [&](uint64_t first, uint64_t count) {
    return cuzk_mem{static_cast<std::byte*>(chunk.mem().data) + first * sizeof(bases.points[0]),
                    count * sizeof(bases.points[0]), place.space()};
  };
  const cuzk_mem memory = resident.mem();
  expect_error("not from the start", [&] { load(1, 5, memory, points(1, 5)); });
  expect_error("more than there are", [&] { load(0, kCount + 1, memory, chunk.mem()); });
  expect_error("fewer bytes than points", [&] { load(0, 20, memory, points(0, 19)); });
  expect_error("no points", [&] { load(0, 20, memory, {nullptr, points(0, 20).bytes, place.space()}); });
  expect_error("too little memory to stay in", [&] {
    load(0, 20, {memory.data, memory.bytes - 1, memory.space}, points(0, 20));
  });
  expect_error("no memory to stay in", [&] { load(0, 20, {nullptr, memory.bytes, memory.space}, points(0, 20)); });
  ASSERT_EQ(made, nullptr) << "bases of a call that was refused";
  load(0, 20, memory, points(0, 20));
  expect_error("a gap", [&] { load(21, 9, memory, points(21, 9)); });
  expect_error("points that were there", [&] { load(10, 10, memory, points(10, 10)); });
  expect_error("more than are left", [&] { load(20, kCount, memory, chunk.mem()); });

  const auto scalar_memory = runner.scalar_buffer(scalars, {});
  const cuzk_vec vec{scalar_memory->mem(), kCount, G::Curve::kId, CUZK_MONTGOMERY, {}};
  q.bases = made->handle();
  const auto start = [&](const cuzk_query& asked) { return runner.msm().start(lease, vec, {&asked, 1}, plan); };
  expect_error("a job with half of the bases", [&] { start(q); });
  load(20, kCount - 20, memory, points(20, kCount - 20));
  const auto bad_query = [&](const char* what, auto&& change) {
    cuzk_query asked = q;
    change(asked);
    expect_error(what, [&] { start(asked); });
  };
  bad_query("bases of another group", [](cuzk_query& asked) { asked.group = 3 - asked.group; });
  bad_query("bases of another curve", [](cuzk_query& asked) { asked.curve = 3 - asked.curve; });
  bad_query("more bases than queried", [](cuzk_query& asked) { asked.count = asked.span = kCount - 1; });
  {
    const auto job = start(q);
    expect_error("feed of bases that are loaded",
                 [&] { job->feed(lease, 0, chunk.mem(), 0, kCount, {}, place.fence()); });
  }
  const auto job = start(q);
  const cuzk_fence done = place.fence();
  job->end(lease, done);
  place.wait(done);
  arith::Affine<G> sum;
  void* out[] = {&sum};
  job->finish(out);
  EXPECT_TRUE(sum == query.expected(scalars)) << "after calls that were refused";
}

/// What a first meeting with an error makes a driver keep for itself is no leak: memory must be there after the second.
TEST_P(MsmResident, WrongCallsAreRefusedAndLeaveNothing) {
  Engine engine;
  on_group(GetParam().curve, GetParam().group, [&]<class G>() {
    uint64_t free = 0;
    for (unsigned i = 0; i < 2; ++i) {
      {
        MsmRunner runner(engine, GetParam().component);
        ASSERT_NO_FATAL_FAILURE(wrong_loads<G>(runner));
      }
      const uint64_t now = MsmRunner(engine, GetParam().component).place().info().memory_free;
      EXPECT_GE(now, free) << "bytes free on the device before";
      free = now;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmResident,
                         testing::ValuesIn(msm_params([](const Offer& offer, Group) { return offer.loads; })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmResident);
INSTANTIATE_TEST_SUITE_P(Plugin, MsmResidentJobs, testing::ValuesIn(msm_params([](const Offer& offer, Group group) {
                           return group == Group::g1 && ((offer.groups >> CUZK_G2) & 1) != 0 && offer.many &&
                                  offer.selects && offer.loads;
                         })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmResidentJobs);

}  // namespace
}  // namespace cuzk::conformance
