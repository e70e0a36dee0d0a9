/// MSM: known answers with an infinity, a zero scalar, equal points, opposite points and the scalar r - 1.

#include "msm_case.hpp"
#include "vectors.hpp"

namespace cuzk::conformance {
namespace {

using MsmVectors = MsmConformance;

TEST_P(MsmVectors, KnownAnswers) {
  const auto vectors = load_vectors("msm.json").at(std::string(name(GetParam().curve)));
  const auto& one = vectors.at(GetParam().group == Group::g1 ? "g1" : "g2");
  run([&]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    const size_t n = one["points"].size();
    std::vector<arith::Affine<G>> points;
    std::vector<Fr> scalars;
    for (size_t i = 0; i < n; ++i) {
      points.push_back(parse_point<G>(one["points"][i]));
      scalars.push_back(Parse<Fr>::from(one["scalars"][i]));
    }
    Place& place = runner.place();
    for (const uint32_t form : {CUZK_MONTGOMERY, CUZK_CANONICAL}) {
      cuzk_query q{};
      q.count = q.span = n;
      q.curve = G::Curve::kId;
      q.group = kGroupId<G>;
      const cuzk_plan plan = runner.component().plan_job(place.info(), {&q, 1}, UINT64_MAX);
      Buffer workspace(place, plan.workspace);
      Buffer chunk(place, points.data(), n * sizeof(points[0]));
      const auto scalar_memory = runner.scalar_buffer(scalars, {.form = form});
      const Lease lease = place.lease(workspace.mem());
      const auto job = runner.msm().start(lease, {scalar_memory->mem(), n, G::Curve::kId, form, {}}, {&q, 1}, plan);
      const cuzk_fence free = place.fence(), done = place.fence();
      job->feed(lease, 0, chunk.mem(), 0, n, {}, free);
      job->end(lease, done);
      place.wait(done);
      arith::Affine<G> sum;
      void* out[] = {&sum};
      job->finish(out);
      EXPECT_TRUE(sum == parse_point<G>(one["sum"]));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmVectors, testing::ValuesIn(msm_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmVectors);

}  // namespace
}  // namespace cuzk::conformance
