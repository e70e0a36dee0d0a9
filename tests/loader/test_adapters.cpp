// SDK and loader back to back: what a class answers comes out of core's interface, and every way to fail as a typed
// error.
#include "fixture.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <gmock/gmock.h>
#include <thread>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/curve.hpp>
#include <cuzk/lock_policy.hpp>
#include <cuzk/msm.hpp>
#include <cuzk/ntt.hpp>
#include <cuzk/staging.hpp>

namespace cuzk::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Fr = arith::Bn254Fr;

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};
constexpr cuzk_fence kNoFence{};

class Adapters : public LoaderTest {
 protected:
  Adapters() { EXPECT_TRUE(load("good", "round-trip").ok()); }

  template <class Component>
  std::shared_ptr<const Component> component(Role role, std::string_view name = {}) {
    return std::dynamic_pointer_cast<const Component>(plugin().component(role, name));
  }
  Plugin& plugin() { return *registry->plugins().front(); }

  Lease lease = Lease::for_host(1, 0, {});
  cuzk_device_info device{.struct_size = sizeof(cuzk_device_info),
                          .space = kHost,
                          .units = 1,
                          .arch = 0,
                          .memory_total = 0,
                          .memory_free = 0,
                          .name = {}};
};

template <class T>
cuzk_mem memory(std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T), kHost};
}

TEST_F(Adapters, Facts) {
  const Plugin::Facts& facts = plugin().facts();
  EXPECT_EQ(facts.version + facts.license + facts.author + facts.built_for, "1.2.3MITtestscpu");
  const ComponentInfo& info = plugin().component(Role::ntt)->info();
  EXPECT_EQ(info.full_name(), "round-trip/toy");
  EXPECT_EQ(info.summary, "multiplies");
  EXPECT_EQ(info.max_log2_size, 20u);
  EXPECT_TRUE(info.runs_in(CUZK_SPACE_HOST) && info.runs_in(CUZK_SPACE_MODEL) && !info.runs_in(CUZK_SPACE_CUDA));
  EXPECT_TRUE(component<StagingComponent>(Role::staging)->adopts());
  EXPECT_TRUE(component<MsmComponent>(Role::msm)->keeps_buckets() && component<MsmComponent>(Role::msm)->many());
  EXPECT_FALSE(component<MsmComponent>(Role::msm)->selects());
  EXPECT_FALSE(component<MsmComponent>(Role::msm, "plain")->keeps_buckets());
  EXPECT_EQ(component<LockComponent>(Role::lock)->info().api_flags, uint32_t{CUZK_LOCK_LATE_WORKSPACE});
}

TEST_F(Adapters, Device) {
  EXPECT_EQ(plugin().device_count().count, 2u);
  const auto toy = plugin().device(1);
  EXPECT_EQ(toy, plugin().device(1));
  EXPECT_EQ(toy->name(), "toy:1");
  EXPECT_EQ(toy->plugin(), "round-trip");
  EXPECT_TRUE(toy->host_addressable());
  EXPECT_EQ(toy->info().memory_free, 1u << 19);
  EXPECT_FALSE(toy->can_pin());
  toy->wait(toy->make_fence());

  const cuzk_mem whole = toy->alloc(64);
  std::memset(whole.data, 0xff, 64);
  std::array<uint8_t, 3> source{1, 2, 3};
  toy->copy(whole, {source.data(), source.size(), kHost}, kNoFence, kNoFence);
  EXPECT_EQ(static_cast<uint8_t*>(whole.data)[2], 3);
  EXPECT_EQ(static_cast<uint8_t*>(whole.data)[63], 0);
  toy->free(whole);
  const auto [code, message] = error_of([&] { toy->alloc(2 << 20); });
  EXPECT_EQ(code, ErrorCode::out_of_memory);
  EXPECT_EQ(message, "round-trip/toy:1: alloc: more than a toy has");
  const auto absent = error_of([&] { plugin().device(2); });
  EXPECT_EQ(absent.first, ErrorCode::unusable);
  EXPECT_EQ(absent.second, "device toy:2 is not there: round-trip: has 2, counted from 0");
}

TEST_F(Adapters, StagingAdoptsAndTellsItsPath) {
  const auto staging = component<StagingComponent>(Role::staging);
  const cuzk_plan plan = staging->plan(device, 777, 0);
  EXPECT_EQ(plan.pinned, 777u);
  const auto instance = staging->open(kHost, plan, {});
  std::vector<std::byte> source(32, std::byte{7}), back(32);
  cuzk_mem adopted{nullptr, 32, kHost};
  EXPECT_EQ(instance->upload(lease, adopted, source, false, kNoFence, kNoFence), uint32_t{CUZK_PATH_DIRECT});
  EXPECT_EQ(adopted.data, source.data());
  EXPECT_EQ(instance->download(lease, back, false, adopted, kNoFence, kNoFence), uint32_t{CUZK_PATH_DIRECT});
  EXPECT_EQ(back, source);
  const auto events = services.timeline().events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "toy upload");
  EXPECT_EQ(events[0].bytes, 32u);
  EXPECT_EQ(events[0].ticket, 1u);

  cuzk_mem untouched{nullptr, 13, kHost};
  const auto [code, message] =
      error_of([&] { instance->upload(lease, untouched, std::span(source).first(13), false, kNoFence, kNoFence); });
  EXPECT_EQ(code, ErrorCode::unusable);  // device lost
  EXPECT_EQ(message, "round-trip/serial: upload: thirteen bytes");
  EXPECT_EQ(untouched.data, nullptr);
  struct Wrong {
    size_t bytes;
    const char* message;
  };
  for (const auto& [size, expected] : std::initializer_list<Wrong>{{14, "changed the destination's size or space"},
                                                                   {15, "changed the destination's size or space"},
                                                                   {16, "did not adopt the source"}}) {
    cuzk_mem place{nullptr, size, kHost};
    const auto wrong =
        error_of([&] { instance->upload(lease, place, std::span(source).first(size), false, kNoFence, kNoFence); });
    EXPECT_EQ(wrong.first, ErrorCode::internal);
    EXPECT_THAT(wrong.second, HasSubstr(expected));
    EXPECT_EQ(place.data, nullptr);
  }
  cuzk_mem place = memory(back), small = place, nowhere{nullptr, 64, kHost};
  small.bytes = 31;
  EXPECT_THAT(error_of([&] { instance->upload(lease, place, source, false, kNoFence, kNoFence); }).second,
              HasSubstr("upload answered ok and moved the destination"));
  EXPECT_EQ(place.data, back.data());
  EXPECT_THAT(error_of([&] { instance->upload(lease, small, source, false, kNoFence, kNoFence); }).second,
              HasSubstr("upload of more bytes than its destination has"));
  EXPECT_THAT(error_of([&] { instance->upload(lease, nowhere, source, false, kNoFence, kNoFence); }).second,
              HasSubstr("upload to a destination without memory"));
  EXPECT_THAT(error_of([&] {
                instance->download(lease, std::span(back).first(31), false, adopted, kNoFence, kNoFence);
              }).second,
              HasSubstr("download of more bytes than its destination has"));
  adopted.bytes = 5;
  EXPECT_THAT(error_of([&] { instance->download(lease, back, false, adopted, kNoFence, kNoFence); }).second,
              HasSubstr("answered ok and an unknown path"));
}

TEST_F(Adapters, AProcessSerialComponentIsEnteredByOneCallAtATime) {
  const auto staging = component<StagingComponent>(Role::staging);
  std::array<std::atomic<int>, 2> overlaps{};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      const Lease own = Lease::for_host(t, t, {});
      const auto instance = staging->open(kHost, {}, {});
      std::vector<std::byte> source(8);
      for (int i = 0; i < 500; ++i) {
        cuzk_mem dst{nullptr, 8, kHost};
        if (instance->upload(own, dst, source, false, kNoFence, kNoFence) != CUZK_PATH_DIRECT) ++overlaps[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overlaps[0] + overlaps[1], 0);
}

class NttAdapter : public Adapters {
 protected:
  std::shared_ptr<const NttComponent> ntt = component<NttComponent>(Role::ntt);
  cuzk_domain domain{.curve = CUZK_BN254,
                     .log2_size = 2,
                     .h_basis = CUZK_H_MONOMIAL,
                     .reserved = 0,
                     .omega = {},
                     .shift = {},
                     .z_inverse = raw(Fr::from_u64(10))};
  std::unique_ptr<Ntt> instance = ntt->open(kHost, domain, ntt->plan(device, domain, 5), {});

  static cuzk_fr raw(const Fr& x) {
    cuzk_fr r;
    std::memcpy(r.limb, x.limb.data(), sizeof r);
    return r;
  }
  static std::vector<Fr> values(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return {Fr::from_u64(a), Fr::from_u64(b), Fr::from_u64(c), Fr::from_u64(d)};
  }
  static cuzk_vec vec(std::vector<Fr>& v) { return {memory(v), v.size(), CUZK_BN254, CUZK_MONTGOMERY, kNoFence}; }
};

TEST_F(NttAdapter, TransformsAndCoreFillsInTheRest) {
  const cuzk_plan plan = ntt->plan(device, domain, 5);
  EXPECT_EQ(plan.resident, 2u);
  EXPECT_EQ(plan.workspace, 5u);
  auto a = values(1, 2, 3, 4), b = values(5, 6, 7, 8), c = values(9, 10, 11, 12);
  instance->transform(lease, vec(a), CUZK_FORWARD, kNoFence);
  EXPECT_EQ(a, values(2, 4, 6, 8));
  instance->pointwise(lease, vec(a), vec(a), vec(b), CUZK_MUL, kNoFence);
  EXPECT_EQ(a, values(10, 24, 42, 64));
  // With "transforms" that multiply by 3 (inverse), 4 (coset forward) and 5 (coset inverse):
  instance->quotient_ab(lease, vec(a), vec(b), kNoFence);
  EXPECT_EQ(a, values(144 * 50, 144 * 144, 144 * 294, 144 * 512));
  instance->quotient_c(lease, vec(a), vec(c), kNoFence);
  const auto h = [](uint64_t ab, uint64_t value) { return (ab - 12 * value) * 10 * 5; };
  EXPECT_EQ(a, values(h(7200, 9), h(20736, 10), h(42336, 11), h(73728, 12)));
}

TEST_F(NttAdapter, EveryWayToFail) {
  struct Case {
    uint32_t kind;
    ErrorCode code;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {100 + CUZK_OK, ErrorCode::internal, "thrown on request (native code 42)"},
           {100 + CUZK_BAD_ARGUMENT, ErrorCode::internal, "thrown on request (native code 42)"},
           {100 + CUZK_UNIMPLEMENTED, ErrorCode::unusable, "thrown on request (native code 42)"},
           {100 + CUZK_REFUSED, ErrorCode::unusable, "thrown on request (native code 42)"},
           {100 + CUZK_OUT_OF_MEMORY, ErrorCode::out_of_memory, "thrown on request (native code 42)"},
           {100 + CUZK_CANCELLED, ErrorCode::cancelled, "thrown on request (native code 42)"},
           {100 + CUZK_DEVICE_ERROR, ErrorCode::device_failed, "thrown on request (native code 42)"},
           {100 + CUZK_DEVICE_LOST, ErrorCode::unusable, "thrown on request (native code 42)"},
           {100 + CUZK_INTERNAL, ErrorCode::internal, "thrown on request (native code 42)"},
           {199, ErrorCode::internal, "unknown status 99: thrown on request (native code 42)"},
           {200, ErrorCode::out_of_memory, "out of host memory"},
           {201, ErrorCode::internal, "a runtime_error"},
           {202, ErrorCode::internal, "an exception that is no std::exception"},
           {204, ErrorCode::device_failed, "in a task"}}) {
    auto v = values(1, 2, 3, 4);
    const auto [code, message] = error_of([&] { instance->transform(lease, vec(v), c.kind, kNoFence); });
    EXPECT_EQ(code, c.code) << c.kind;
    EXPECT_EQ(message, std::string("round-trip/toy: transform: ") + c.message);
  }
  auto v = values(1, 2, 3, 4);
  instance->transform(lease, vec(v), 203, kNoFence);  // not cancelled yet
  services.cancel_all();
  EXPECT_EQ(error_of([&] { instance->transform(lease, vec(v), 203, kNoFence); }).first, ErrorCode::cancelled);
  EXPECT_EQ(error_of([&] { ntt->plan(device, domain, 1); }).first, ErrorCode::unusable);
  domain.log2_size = 63;
  const cuzk_plan plan = ntt->plan(device, domain, 5);
  EXPECT_EQ(error_of([&] { ntt->open(kHost, domain, plan, {}); }).first, ErrorCode::out_of_memory);
}

TEST_F(NttAdapter, RefusesForeignLeasesVectorsAndCurves) {
  auto v = values(1, 2, 3, 4);
  const auto refusal = [&](Ntt& ntt_instance, cuzk_vec operand) {
    const auto [code, message] = error_of([&] { ntt_instance.transform(lease, operand, CUZK_FORWARD, kNoFence); });
    EXPECT_EQ(code, ErrorCode::internal);
    EXPECT_THAT(message, StartsWith("round-trip/toy: "));
    return message;
  };
  const auto on_device = ntt->open({CUZK_SPACE_MODEL, 0}, domain, ntt->plan(device, domain, 5), {});
  EXPECT_THAT(refusal(*on_device, vec(v)), HasSubstr("a lease on another space"));
  cuzk_vec elsewhere = vec(v), other_curve = vec(v), short_one = vec(v), canonical = vec(v);
  elsewhere.mem.space = {CUZK_SPACE_MODEL, 0};
  other_curve.curve = CUZK_BLS12_381;
  short_one.count = 3;
  canonical.form = CUZK_CANONICAL;
  EXPECT_THAT(refusal(*instance, elsewhere), HasSubstr("a vector in another space"));
  EXPECT_THAT(refusal(*instance, other_curve), HasSubstr("opened for bn254, called with a vector of bls12-381"));
  EXPECT_THAT(refusal(*instance, short_one), HasSubstr("not of the domain's size"));
  EXPECT_THAT(refusal(*instance, canonical), HasSubstr("not in Montgomery form"));
  EXPECT_EQ(v, values(1, 2, 3, 4));
}

class MsmAdapter : public Adapters {
 protected:
  std::vector<cuzk_fr> scalars = std::vector<cuzk_fr>(10);
  std::vector<std::byte> chunk = std::vector<std::byte>(64 * 10);
  cuzk_vec scalar_vec(uint32_t form = CUZK_CANONICAL) {
    return {memory(scalars), scalars.size(), CUZK_BN254, form, kNoFence};
  }
  static cuzk_query query(uint64_t first, uint64_t count) {
    cuzk_query q{};
    q.count = q.span = count;
    q.first = first;
    q.curve = CUZK_BN254;
    q.group = CUZK_G1;
    return q;
  }
};

TEST_F(MsmAdapter, JobsAndBases) {
  const auto msm = component<MsmComponent>(Role::msm, "counting");
  EXPECT_EQ(msm->plan_bases(device, query(0, 7), 7).resident, 7u);
  EXPECT_EQ(msm->plan_bases(device, query(0, 7), 6).resident, 0u);
  auto instance = msm->open(kHost);
  std::unique_ptr<Msm::Bases> bases;
  instance->load(lease, query(0, 7), {}, memory(chunk), 0, 4, kNoFence, kNoFence, bases);
  instance->load(lease, query(0, 7), {}, memory(chunk), 4, 3, kNoFence, kNoFence, bases);
  EXPECT_EQ(
      error_of([&] { instance->load(lease, query(0, 7), {}, memory(chunk), 99, 1, kNoFence, kNoFence, bases); }).first,
      ErrorCode::out_of_memory);
  ASSERT_NE(bases, nullptr);
  EXPECT_EQ(log.count("counting: bases unloaded"), 0u);  // what was loaded stays the caller's

  std::array<cuzk_query, 2> queries{query(0, 7), query(0, 5)};
  queries[0].bases = bases->handle();
  const cuzk_plan plan = msm->plan_job(device, queries, 0);
  EXPECT_EQ(plan.workspace, 2u);
  auto job = instance->start(lease, scalar_vec(), queries, plan);
  job->feed(lease, 1, memory(chunk), 0, 3, kNoFence, kNoFence);
  job->feed(lease, 1, memory(chunk), 3, 2, kNoFence, kNoFence);
  EXPECT_EQ(
      error_of([&] { job->feed(lease, 1, memory(chunk), 99, 1, kNoFence, kNoFence); }),
      std::pair(ErrorCode::device_failed, std::string("round-trip/counting: feed: at ninety-nine (native code 700)")));
  EXPECT_EQ(error_of([&] { job->feed(lease, 2, memory(chunk), 0, 1, kNoFence, kNoFence); }).first, ErrorCode::internal);
  job->end(lease, kNoFence);
  std::array<uint64_t, 2> sums{};
  const std::array<void*, 2> out{&sums[0], &sums[1]};
  job->finish(out);
  EXPECT_EQ(sums, (std::array<uint64_t, 2>{7000, 5}));
  EXPECT_EQ(error_of([&] { job->finish(std::span(out).first(1)); }).first, ErrorCode::internal);

  // Bases and jobs keep the instance that made them.
  instance.reset();
  EXPECT_EQ(log.count("counting: closed"), 0u);
  job.reset();
  EXPECT_EQ(log.count("counting: job dropped"), 1u);
  bases.reset();
  EXPECT_EQ(log.count("counting: bases unloaded"), 1u);
  EXPECT_EQ(log.count("counting: closed"), 1u);
}

TEST_F(MsmAdapter, MultiplesWhereTheTableHasThem) {
  const auto msm = component<MsmComponent>(Role::msm, "counting");
  ASSERT_TRUE(msm->offers_multiples());
  const cuzk_plan plan = msm->plan_multiples(device, CUZK_BN254, CUZK_G1, 10, 0);
  EXPECT_EQ(plan.workspace, 80U);
  using Point = arith::Affine<arith::Bn254::G1>;
  const Point generator = arith::Bn254::G1::generator();
  scalars[3].limb[0] = 1;
  std::vector<std::byte> work(80);
  std::vector<Point> out(10, generator);
  const auto instance = msm->open(kHost);
  const Lease step = lease.with(memory(work), {});
  instance->multiples(step, CUZK_G1, &generator, scalar_vec(), plan, memory(out), kNoFence);
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i == 3 ? generator : Point::infinity()) << i;

  cuzk_mem elsewhere = memory(out);
  elsewhere.space = {CUZK_SPACE_MODEL, 0};
  EXPECT_THAT(
      error_of([&] { instance->multiples(step, CUZK_G1, &generator, scalar_vec(), plan, elsewhere, kNoFence); }).second,
      HasSubstr("memory of another space"));
  EXPECT_EQ(error_of([&] { msm->plan_multiples(device, CUZK_BN254, 3, 10, 0); }),
            std::pair(ErrorCode::internal, std::string("round-trip/counting: plan_multiples: an unknown group")));
}

/// A table that ends before the slots, whatever stands behind it, and one whose slots are null.
TEST_F(MsmAdapter, NoMultiplesWhereTheTableLacksThem) {
  for (const char* name : {"older", "plain"}) {
    const auto msm = component<MsmComponent>(Role::msm, name);
    EXPECT_FALSE(msm->offers_multiples()) << name;
    const std::pair missing(ErrorCode::unusable, "round-trip/" + std::string(name) + ": makes no multiples of a point");
    EXPECT_EQ(error_of([&] { msm->plan_multiples(device, CUZK_BN254, CUZK_G1, 1, 0); }), missing);
    EXPECT_EQ(error_of([&] {
                msm->open(kHost)->multiples(lease, CUZK_G1, scalars.data(), scalar_vec(), {}, memory(chunk), kNoFence);
              }),
              missing);
  }
  EXPECT_EQ(component<MsmComponent>(Role::msm, "older")->plan_bases(device, query(0, 7), 7).resident, 7u);
}

TEST_F(MsmAdapter, RefusesQueriesBeyondTheScalarsAndOtherCurves) {
  const auto msm = component<MsmComponent>(Role::msm, "counting");
  const auto instance = msm->open(kHost);
  const auto refusal = [&](const cuzk_query& q) {
    return error_of([&] { static_cast<void>(instance->start(lease, scalar_vec(), {&q, 1}, {})); }).second;
  };
  EXPECT_THAT(refusal(query(4, 7)), HasSubstr("beyond the scalars"));
  EXPECT_THAT(refusal(query(UINT64_MAX, 7)), HasSubstr("beyond the scalars"));
  cuzk_query other = query(0, 1);
  other.curve = CUZK_BLS12_381;
  EXPECT_THAT(refusal(other), HasSubstr("different curves"));
  const auto plain = component<MsmComponent>(Role::msm, "plain");
  EXPECT_EQ(plain->plan_bases(device, query(0, 7), 1 << 20).resident, 0u);
  std::unique_ptr<Msm::Bases> bases;
  const auto [code, message] =
      error_of([&] { plain->open(kHost)->load(lease, query(0, 1), {}, {}, 0, 1, kNoFence, kNoFence, bases); });
  EXPECT_EQ(code, ErrorCode::unusable);
  EXPECT_EQ(message, "round-trip/plain: load is not implemented");
}

TEST_F(MsmAdapter, OneFunctionIsAnMsm) {
  using G = arith::Bn254::G1;
  using Point = arith::Affine<G>;
  const auto msm = component<MsmComponent>(Role::msm, "plain");
  const auto instance = msm->open(kHost);
  // Bases k * G, scalars 3, 0, 1, ... from index 2 of the vector on; infinity among the bases.
  std::vector<Point> bases;
  uint64_t expected = 0;
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t scalar = (i * 7 + 3) % 8;
    bases.push_back(i == 4 ? Point::infinity() : arith::scalar_mul(G::generator(), Fr::from_u64(i + 1)).to_affine());
    scalars[i + 2].limb[0] = scalar;
    if (i != 4) expected += scalar * (i + 1);
  }
  const Point sum = arith::scalar_mul(G::generator(), Fr::from_u64(expected)).to_affine();
  const cuzk_query q = query(2, 6);
  const cuzk_plan plan = msm->plan_job(device, {&q, 1}, 0);
  std::vector<uint64_t> workspace(plan.workspace / sizeof(uint64_t));
  const Lease with_workspace = Lease::for_host(1, 0, memory(workspace));
  for (const uint32_t form : {CUZK_CANONICAL, CUZK_MONTGOMERY}) {
    for (const size_t misaligned : {size_t{0}, size_t{4}}) {
      std::vector<std::byte> bytes(sizeof(Point) * bases.size() + misaligned);
      std::memcpy(bytes.data() + misaligned, bases.data(), sizeof(Point) * bases.size());
      const auto job = instance->start(with_workspace, scalar_vec(form), {&q, 1}, plan);
      job->feed(with_workspace, 0, {bytes.data() + misaligned, bytes.size() - misaligned, kHost}, 0, 6, kNoFence,
                kNoFence);
      job->end(with_workspace, kNoFence);
      Point result = G::generator();
      void* const out = &result;
      job->finish({&out, 1});
      EXPECT_EQ(result, sum) << form << " " << misaligned;
    }
    for (cuzk_fr& scalar : scalars) {  // the same integers in the other form
      const Fr x = Fr::from_u64(scalar.limb[0]);
      std::memcpy(scalar.limb, x.limb.data(), sizeof scalar);
    }
  }
  const auto job = instance->start(with_workspace, scalar_vec(), {&q, 1}, plan);
  EXPECT_THAT(error_of([&] { job->feed(with_workspace, 0, memory(chunk), 0, 3, kNoFence, kNoFence); }).second,
              HasSubstr("expected all bases in one chunk"));
  EXPECT_THAT(error_of([&] { job->feed(lease, 0, memory(chunk), 0, 6, kNoFence, kNoFence); }).second,
              HasSubstr("workspace smaller than planned"));
  const cuzk_query nothing = query(0, 0);
  const auto empty = instance->start(lease, scalar_vec(), {&nothing, 1}, {});
  empty->end(lease, kNoFence);
  Point result = G::generator();
  void* const out = &result;
  empty->finish({&out, 1});
  EXPECT_TRUE(result.is_infinity());
}

TEST_F(Adapters, ALockPolicyAndOneThatThrows) {
  const auto lock = component<LockComponent>(Role::lock);
  const auto policy = lock->open(40);
  EXPECT_EQ(lock->stage_width(), 3u);
  EXPECT_EQ(lock->compute_width(), 2u);
  EXPECT_EQ(policy->stage_width(), 3u);
  EXPECT_EQ(policy->compute_width(), 2u);
  cuzk_lock_view view{};
  view.struct_size = sizeof view;
  view.count = 2;
  EXPECT_EQ(policy->pick(view), 42u);
  view.count = 9;
  EXPECT_EQ(policy->pick(view), CUZK_NONE);
  EXPECT_EQ(log.count("pick: nine tickets"), 1u);
  EXPECT_EQ(error_of([&] { static_cast<void>(lock->open(0)); }),
            std::pair(ErrorCode::internal, std::string("round-trip/counted: open: no workers")));
}

}  // namespace
}  // namespace cuzk::test
