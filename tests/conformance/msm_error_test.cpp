/// MSM: wrong calls are refused with a typed error, and the instance works on.

#include "msm_case.hpp"

#include <cuzk/error.hpp>

namespace cuzk::conformance {
namespace {

using MsmErrors = MsmConformance;

/// The message names what is wrong in one line; internal is what core makes of a plugin's CUZK_BAD_ARGUMENT.
template <class Call>
void expect_error(const char* what, Call&& call) {
  SCOPED_TRACE(what);
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_FALSE(message.empty());
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST_P(MsmErrors, WrongCallsAreRefused) {
  run([]<class G>(MsmRunner& runner) {
    Random random(21);
    constexpr size_t kCount = 50;
    const auto scalars = random.elements<typename G::Scalar>(kCount);
    const auto bases = Bases<G>::distinct(kCount, 1);
    Place& place = runner.place();
    const auto scalar_memory = runner.scalar_buffer(scalars, {});
    const cuzk_vec vec{scalar_memory->mem(), kCount, G::Curve::kId, CUZK_MONTGOMERY, {}};
    const cuzk_query good = MsmRunner::query(whole(bases));
    const cuzk_plan plan = runner.component().plan_job(place.info(), {&good, 1}, UINT64_MAX);
    Buffer workspace(place, plan.workspace);
    Buffer chunk(place, bases.points.data(), kCount * sizeof(bases.points[0]));
    const Lease lease = place.lease(workspace.mem());
    const auto start = [&](const cuzk_vec& v, const cuzk_query& q) {
      return runner.msm().start(lease, v, {&q, 1}, plan);
    };

    const auto bad_query = [&](const char* what, auto&& change) {
      cuzk_query q = good;
      change(q);
      expect_error(what, [&] { start(vec, q); });
    };
    bad_query("another curve", [](cuzk_query& q) { q.curve = 3 - q.curve; });
    bad_query("an unknown group", [](cuzk_query& q) { q.group = 9; });
    bad_query("beyond the scalars", [](cuzk_query& q) { q.first = 1; });
    bad_query("far beyond the scalars", [](cuzk_query& q) { q.first = ~uint64_t{0}; });
    bad_query("fewer bases than scalars", [](cuzk_query& q) { q.count = kCount - 1; });
    if (runner.component().selects()) {
      Buffer mask(place, std::vector<uint64_t>{7}.data(), 8);
      bad_query("a mask that selects fewer", [&](cuzk_query& q) { q.select = mask.mem(); });
    }
    const auto bad_scalars = [&](const char* what, auto&& change) {
      cuzk_vec v = vec;
      change(v);
      expect_error(what, [&] { start(v, good); });
    };
    bad_scalars("an unknown form", [](cuzk_vec& v) { v.form = 5; });
    bad_scalars("fewer bytes than scalars", [](cuzk_vec& v) { v.mem.bytes -= 1; });
    bad_scalars("no scalars", [](cuzk_vec& v) { v.mem.data = nullptr; });
    expect_error("no workspace", [&] { runner.msm().start(place.lease(), vec, {&good, 1}, plan); });

    const auto bad_feed = [&](const char* what, uint32_t query, cuzk_mem points, uint64_t first, uint64_t count) {
      const auto job = start(vec, good);
      expect_error(what, [&] { job->feed(lease, query, points, first, count, {}, place.fence()); });
    };
    bad_feed("a query that is not there", 1, chunk.mem(), 0, kCount);
    bad_feed("not from the start", 0, chunk.mem(), 1, kCount - 1);
    bad_feed("more points than bases", 0, chunk.mem(), 0, kCount + 1);
    bad_feed("no points", 0, {nullptr, chunk.mem().bytes, place.space()}, 0, kCount);
    bad_feed("fewer bytes than points", 0, {chunk.mem().data, 8, place.space()}, 0, kCount);
    {
      const auto job = start(vec, good);
      expect_error("end before all points came", [&] { job->end(lease, place.fence()); });
    }
    {
      const auto job = start(vec, good);
      arith::Affine<G> sum;
      void* out[] = {&sum};
      expect_error("finish before end", [&] { job->finish(out); });
    }
    runner.check(scalars, {}, whole(bases));
  });
}

TEST_P(MsmErrors, CancelledWorkEndsWithThatError) {
  Engine engine;
  MsmRunner runner(engine, GetParam().component);
  on_group(GetParam().curve, GetParam().group, [&]<class G>() {
    Random random(22);
    const auto bases = Bases<G>::distinct(100, 1);
    const auto scalars = random.elements<typename G::Scalar>(100);
    runner.check(scalars, {}, whole(bases));
    engine.services().cancel_all();
    try {
      runner.check(scalars, {}, whole(bases));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmErrors, testing::ValuesIn(msm_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmErrors);

}  // namespace
}  // namespace cuzk::conformance
