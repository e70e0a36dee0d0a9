/// MSM: many multiples of one point, where the component offers them.

#include "msm_case.hpp"

#include <cuzk/error.hpp>

namespace cuzk::conformance {
namespace {

/// One call's operands and memory.
template <class G>
class MultiplesCall {
 public:
  using Fr = typename G::Scalar;
  using Points = std::vector<arith::Affine<G>>;

  MultiplesCall(MsmRunner& runner, const std::vector<Fr>& scalars, const Manner& manner = {})
      : place(runner.place()),
        msm(runner.msm()),
        plan(runner.component().plan_multiples(place.info(), G::Curve::kId, kGroupId<G>, scalars.size(),
                                               manner.limit.value_or(UINT64_MAX))),
        scalar_memory(runner.scalar_buffer(scalars, manner)),
        out(place, scalars.size() * sizeof(arith::Affine<G>)),
        workspace(place, plan.workspace),
        vec{scalar_memory->mem(), scalars.size(), G::Curve::kId, manner.form, {}} {}

  Points operator()(const arith::Affine<G>& point) {
    run(&point, kGroupId<G>, vec, out.mem(), workspace.mem());
    Points made(out.mem().bytes / sizeof(arith::Affine<G>));
    out.read(made.data());
    made.resize(vec.count);
    return made;
  }
  void run(const void* point, uint32_t group, const cuzk_vec& scalars, cuzk_mem to, cuzk_mem work) {
    const cuzk_fence done = place.fence();
    msm.multiples(place.lease(work), group, point, scalars, plan, to, done);
    place.wait(done);
  }

  Place& place;
  Msm& msm;
  cuzk_plan plan;
  std::unique_ptr<Buffer> scalar_memory;
  Buffer out, workspace;
  cuzk_vec vec;
};

/// start P, (start + 1) P, ...
template <class G>
std::vector<arith::Affine<G>> in_a_row(const arith::Affine<G>& point, const typename G::Scalar& start, size_t count) {
  std::vector<arith::Xyzz<G>> points(count);
  auto multiple = arith::scalar_mul<G>(point, start);
  for (auto& one : points) {
    one = multiple;
    multiple += point;
  }
  std::vector<arith::Affine<G>> affine(count);
  arith::batch_to_affine<G>(points, affine);
  return affine;
}

using MsmMultiples = MsmConformance;

TEST_P(MsmMultiples, AreThoseOfScalarMul) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(31);
    std::vector<Fr> scalars{Fr::zero(),       Fr::one(),           -Fr::one(),        Fr::from_u64(2),
                            -Fr::from_u64(2), -Fr::one().halved(), Fr::one().halved()};
    for (size_t bit = 1; bit < Fr::kBits - 1; bit += 3) {
      typename Fr::Limbs power{};
      power[bit / 64] = uint64_t{1} << (bit % 64);
      scalars.insert(scalars.end(), {Fr::from_canonical(power), -Fr::from_canonical(power)});
    }
    scalars.insert(scalars.end(), 40, Fr::zero());
    for (int i = 0; i < 60; ++i) scalars.push_back(random.element<Fr>());
    const auto generator = G::generator();
    const auto other = arith::scalar_mul<G>(generator, random.element<Fr>()).to_affine();
    for (const auto& point : {generator, other}) {
      std::vector<arith::Affine<G>> expected;
      for (const Fr& s : scalars) expected.push_back(arith::scalar_mul<G>(point, s).to_affine());
      for (const uint32_t form : {CUZK_MONTGOMERY, CUZK_CANONICAL}) {
        for (const uint64_t limit : {UINT64_MAX, uint64_t{0}}) {
          MultiplesCall<G> call(runner, scalars, {.form = form, .limit = limit});
          EXPECT_TRUE(call(point) == expected) << "form " << form << ", limit " << limit;
          EXPECT_TRUE(call(point) == expected) << "the second time in the same memory";
        }
      }
    }
  });
}

/// Also where most scalars share their top digits.
TEST_P(MsmMultiples, AnyNumber) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    Random random(32);
    for (const size_t n : edge_sizes(options().max_log2)) {
      if (n > 70 && n + 1 < size_t{1} << options().max_log2) continue;
      const Fr start = random.element<Fr>();
      std::vector<Fr> scalars;
      for (Fr s = start; scalars.size() < n; s += Fr::one()) scalars.push_back(s);
      auto expected = in_a_row<G>(G::generator(), start, n);
      MultiplesCall<G> call(runner, scalars);
      EXPECT_TRUE(call(G::generator()) == expected) << n;
      if (n > 0) {  // a plan serves for fewer
        --call.vec.count;
        expected.pop_back();
        EXPECT_TRUE(call(G::generator()) == expected) << n - 1;
      }
    }
  });
}

template <class Call>
void expect_refused(const char* what, Call&& call) {
  try {
    call();
    ADD_FAILURE() << what << ": no error";
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "") << what;
  }
}

TEST_P(MsmMultiples, WrongCallsAreRefused) {
  run([]<class G>(MsmRunner& runner) {
    using Fr = typename G::Scalar;
    const std::vector<Fr> scalars(50, Fr::from_u64(3));
    const auto point = G::generator();
    const auto plan_for = [&](uint32_t curve, uint32_t group) {
      return runner.component().plan_multiples(runner.place().info(), curve, group, 50, UINT64_MAX);
    };
    expect_refused("a plan for an unknown curve", [&] { plan_for(9, kGroupId<G>); });
    expect_refused("a plan for an unknown group", [&] { plan_for(G::Curve::kId, 9); });

    MultiplesCall<G> call(runner, scalars);
    const auto refused = [&](const char* what, const void* from, uint32_t group, const cuzk_vec& vec, cuzk_mem out,
                             cuzk_mem work) { expect_refused(what, [&] { call.run(from, group, vec, out, work); }); };
    const cuzk_mem out = call.out.mem(), work = call.workspace.mem();
    const auto less = [](cuzk_mem memory) {
      memory.bytes -= 1;
      return memory;
    };
    const auto changed = [&](auto&& change) {
      cuzk_vec vec = call.vec;
      change(vec);
      return vec;
    };
    refused("no point", nullptr, kGroupId<G>, call.vec, out, work);
    refused("an unknown group", &point, 9, call.vec, out, work);
    refused("too little memory", &point, kGroupId<G>, call.vec, less(out), work);
    if (call.plan.workspace != 0) refused("too little workspace", &point, kGroupId<G>, call.vec, out, less(work));
    refused("an unknown curve", &point, kGroupId<G>, changed([](cuzk_vec& v) { v.curve = 9; }), out, work);
    refused("an unknown form", &point, kGroupId<G>, changed([](cuzk_vec& v) { v.form = 5; }), out, work);
    refused("fewer bytes than scalars", &point, kGroupId<G>, changed([](cuzk_vec& v) { v.mem.bytes -= 1; }), out, work);
    refused("more scalars than there are", &point, kGroupId<G>, changed([](cuzk_vec& v) { ++v.count; }), out, work);
    const auto triple = arith::scalar_mul<G>(point, Fr::from_u64(3)).to_affine();
    EXPECT_TRUE(call(point) == std::vector(scalars.size(), triple)) << "after the errors";
  });
}

TEST_P(MsmMultiples, CancelledWorkEndsWithThatError) {
  Engine engine;
  MsmRunner runner(engine, GetParam().component);
  on_group(GetParam().curve, GetParam().group, [&]<class G>() {
    const std::vector<typename G::Scalar> scalars(10, G::Scalar::one());
    MultiplesCall<G> call(runner, scalars);
    call(G::generator());
    engine.services().cancel_all();
    try {
      call(G::generator());
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, MsmMultiples,
                         testing::ValuesIn(msm_params([](const Offer& offer, Group) { return offer.multiples; })),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MsmMultiples);

}  // namespace
}  // namespace cuzk::conformance
