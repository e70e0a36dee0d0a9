/// NTT: transforms and pointwise operations.

#include "ntt_case.hpp"
#include "vectors.hpp"

#include <cuzk/error.hpp>

namespace cuzk::conformance {
namespace {

using NttTransforms = NttConformance;

TEST_P(NttTransforms, AgreesWithTheDefinition) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(31);
    for (unsigned log2_size = 0; log2_size <= 6; ++log2_size) {
      SCOPED_TRACE(log2_size);
      auto domain = DomainCase<C>::monomial(log2_size);
      domain.shift = random.element<Fr>();
      NttRunner<C> runner(engine, component, domain);
      const auto v = random.elements<Fr>(domain.size());
      std::vector<Fr> forward, coset;
      for (uint64_t k = 0; k < domain.size(); ++k) {
        forward.push_back(evaluate<Fr>(v, domain.at(k)));
        coset.push_back(evaluate<Fr>(v, domain.coset_at(k)));
      }
      EXPECT_TRUE(runner.transform(v, CUZK_FORWARD) == forward);
      EXPECT_TRUE(runner.transform(forward, CUZK_INVERSE) == v);
      EXPECT_TRUE(runner.transform(v, CUZK_COSET_FORWARD) == coset);
      EXPECT_TRUE(runner.transform(coset, CUZK_COSET_INVERSE) == v);
    }
  });
}

TEST_P(NttTransforms, AgreesAtSomePointsForEverySize) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(32);
    for (unsigned log2_size = 7; log2_size <= max_log2(); ++log2_size) {
      SCOPED_TRACE(log2_size);
      const auto domain = DomainCase<C>::monomial(log2_size);
      NttRunner<C> runner(engine, component, domain);
      const auto v = random.elements<Fr>(domain.size());
      const auto forward = runner.transform(v, CUZK_FORWARD);
      const auto coset = runner.transform(v, CUZK_COSET_FORWARD);
      for (const uint64_t k :
           {uint64_t{0}, uint64_t{1}, domain.size() / 2, domain.size() - 1, random.below(domain.size())}) {
        EXPECT_TRUE(forward[k] == evaluate<Fr>(v, domain.at(k))) << k;
        EXPECT_TRUE(coset[k] == evaluate<Fr>(v, domain.coset_at(k))) << k;
      }
      EXPECT_TRUE(runner.transform(forward, CUZK_INVERSE) == v);
      EXPECT_TRUE(runner.transform(coset, CUZK_COSET_INVERSE) == v);
      // every output counts: a random combination of all of them is a value of the inverse's transpose
      const Fr x = random.element<Fr>();
      std::vector<Fr> powers(domain.size());
      Fr p = Fr::one();
      for (Fr& one : powers) {
        one = p;
        p *= x;
      }
      const auto transposed = runner.transform(powers, CUZK_FORWARD);  // the matrix is symmetric
      Fr dot = Fr::zero();
      for (uint64_t i = 0; i < domain.size(); ++i) dot += transposed[i] * v[i];
      EXPECT_TRUE(dot == evaluate<Fr>(forward, x));
    }
  });
}

TEST_P(NttTransforms, EdgeValues) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    const auto domain = DomainCase<C>::monomial(9);
    NttRunner<C> runner(engine, component, domain);
    const std::vector<Fr> zeros(domain.size());
    std::vector<Fr> one = zeros;
    one[0] = Fr::one();
    const std::vector<Fr> ones(domain.size(), Fr::one()), largest(domain.size(), -Fr::one());
    EXPECT_TRUE(runner.transform(zeros, CUZK_FORWARD) == zeros);
    EXPECT_TRUE(runner.transform(one, CUZK_FORWARD) == ones);
    EXPECT_TRUE(runner.transform(ones, CUZK_INVERSE) == one);
    EXPECT_TRUE(runner.transform(runner.transform(largest, CUZK_COSET_FORWARD), CUZK_COSET_INVERSE) == largest);
  });
}

TEST_P(NttTransforms, KnownAnswers) {
  const auto roots = load_vectors("ntt.json").at(std::string(name(GetParam().curve)));
  run([&]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    for (const auto& [which, answers] : roots.items()) {
      SCOPED_TRACE(which);
      const auto list = [&, &known = answers](const char* key) {
        std::vector<Fr> all;
        for (const auto& value : known.at(key)) all.push_back(Parse<Fr>::from(value));
        return all;
      };
      DomainCase<C> domain = DomainCase<C>::monomial(3);
      domain.omega = Parse<Fr>::from(answers.at("w8"));
      std::vector<Fr> v;
      for (uint64_t i = 1; i <= 8; ++i) v.push_back(Fr::from_u64(i));
      {
        NttRunner<C> runner(engine, component, domain);  // shift 7
        EXPECT_TRUE(runner.transform(v, CUZK_FORWARD) == list("ntt8_of_1_to_8"));
        EXPECT_TRUE(runner.transform(v, CUZK_INVERSE) == list("intt8_of_1_to_8"));
        EXPECT_TRUE(runner.transform(v, CUZK_COSET_FORWARD) == list("coset_ntt8_shift_7"));
      }
      domain.shift =
          power(Parse<Fr>::from(answers.at("top")), uint64_t{1} << (answers.at("s").template get<int>() - 4));
      NttRunner<C> runner(engine, component, domain);
      EXPECT_TRUE(runner.transform(v, CUZK_COSET_FORWARD) == list("coset_ntt8_shift_w16"));
    }
  });
}

TEST_P(NttTransforms, Pointwise) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(33);
    for (const unsigned log2_size : {0U, 5U, 10U}) {
      for (auto domain : {DomainCase<C>::monomial(log2_size), DomainCase<C>::lagrange(log2_size)}) {
        NttRunner<C> runner(engine, component, domain);
        const auto x = random.elements<Fr>(domain.size()), y = random.elements<Fr>(domain.size());
        for (const uint32_t op : {CUZK_MUL, CUZK_SUB_SCALE}) {
          std::vector<Fr> expected(domain.size());
          for (size_t i = 0; i < x.size(); ++i) {
            expected[i] = op == CUZK_MUL ? x[i] * y[i] : (x[i] - y[i]) * domain.z_inverse;
          }
          for (const int out : {0, 1, 2}) {  // into x, into y, into a third
            const auto x_memory = runner.buffer(x), y_memory = runner.buffer(y), z_memory = runner.buffer(y);
            const Buffer& to = out == 0 ? *x_memory : out == 1 ? *y_memory : *z_memory;
            const cuzk_fence done = runner.place().fence();
            runner.ntt().pointwise(runner.lease(), runner.vec(to), runner.vec(*x_memory), runner.vec(*y_memory), op,
                                   done);
            runner.place().wait(done);
            EXPECT_TRUE(runner.read(to) == expected);
            if (out != 0) {
              EXPECT_TRUE(runner.read(*x_memory) == x);
            }
          }
        }
      }
    }
  });
}

TEST_P(NttTransforms, SameBytesForAnyNumberOfThreads) {
  on_curve(GetParam().curve, [&]<class C>() {
    using Fr = typename C::Fr;
    Random random(34);
    const auto domain = DomainCase<C>::monomial(max_log2());
    const auto v = random.elements<Fr>(domain.size()), b = random.elements<Fr>(domain.size());
    std::vector<Fr> first;
    for (const uint32_t threads : {1U, 2U, 7U}) {
      Engine engine(threads);
      NttRunner<C> runner(engine, GetParam().component, domain);
      const auto result = runner.quotient(runner.transform(v, CUZK_FORWARD), b, v);
      if (first.empty()) first = result;
      EXPECT_TRUE(result == first) << threads << " threads";
    }
  });
}

TEST_P(NttTransforms, PlansAreMonotoneAndTheLeastWorks) {
  run([]<class C>(Engine& engine, const std::string& component) {
    Random random(35);
    const auto domain = DomainCase<C>::monomial(12);
    const auto v = random.elements<typename C::Fr>(domain.size());
    NttRunner<C> most(engine, component, domain);
    const auto expected = most.transform(v, CUZK_FORWARD);
    uint64_t before = 0;
    const uint64_t all = most.plan().resident + most.plan().workspace + most.plan().unmanaged;
    for (uint64_t limit = most.plan().minimum; limit <= all + 1; limit += (all - most.plan().minimum) / 5 + 1) {
      NttRunner<C> runner(engine, component, domain, limit);
      const uint64_t bytes = runner.plan().resident + runner.plan().workspace + runner.plan().unmanaged;
      EXPECT_LE(bytes, limit);
      EXPECT_GE(bytes, before) << "more memory, a smaller plan";
      before = bytes;
      EXPECT_TRUE(runner.transform(v, CUZK_FORWARD) == expected);
    }
  });
}

TEST_P(NttTransforms, PlansTheLargestDomain) {
  run([]<class C>(Engine& engine, const std::string& component) {
    const auto offered = engine.component<NttComponent>(Role::ntt, component);
    auto largest = DomainCase<C>::monomial(std::min(offered->info().max_log2_size, 28U));
    const cuzk_plan plan = offered->plan(engine.place_for(*offered)->info(), largest.abi(), UINT64_MAX);
    EXPECT_GE(plan.resident + plan.workspace + plan.unmanaged, plan.minimum);
  });
}

TEST_P(NttTransforms, WrongCallsAreRefusedAndOperandsUntouched) {
  run([]<class C>(Engine& engine, const std::string& component) {
    using Fr = typename C::Fr;
    Random random(36);
    const auto domain = DomainCase<C>::monomial(4);
    NttRunner<C> runner(engine, component, domain);
    const auto v = random.elements<Fr>(domain.size());
    const auto memory = runner.buffer(v), other = runner.buffer(v);
    const auto refused = [&](const char* what, auto&& change, uint32_t kind = CUZK_FORWARD) {
      SCOPED_TRACE(what);
      cuzk_vec bad = runner.vec(*memory);
      change(bad);
      const cuzk_vec good = runner.vec(*other);
      Ntt& ntt = runner.ntt();
      Place& place = runner.place();
      EXPECT_THROW(ntt.transform(runner.lease(), bad, kind, place.fence()), Error);
      EXPECT_THROW(ntt.quotient_ab(runner.lease(), good, bad, place.fence()), Error);
      EXPECT_THROW(ntt.quotient_c(runner.lease(), good, bad, place.fence()), Error);
      EXPECT_THROW(ntt.pointwise(runner.lease(), good, good, bad, CUZK_MUL, place.fence()), Error);
      EXPECT_TRUE(runner.read(*memory) == v);
      EXPECT_TRUE(runner.read(*other) == v);
    };
    refused("another curve", [](cuzk_vec& bad) { bad.curve = 3 - bad.curve; });
    refused("an unknown curve", [](cuzk_vec& bad) { bad.curve = 0; });
    refused("another size", [](cuzk_vec& bad) { bad.count /= 2; });
    refused("canonical form", [](cuzk_vec& bad) { bad.form = CUZK_CANONICAL; });
    refused("fewer bytes", [](cuzk_vec& bad) { bad.mem.bytes -= 1; });
    refused("null", [](cuzk_vec& bad) { bad.mem.data = nullptr; });
    EXPECT_THROW(runner.ntt().transform(runner.lease(), runner.vec(*memory), 77, runner.place().fence()), Error);
    EXPECT_TRUE(runner.read(*memory) == v);

    const auto refused_domain = [&](const char* what, auto&& change) {
      SCOPED_TRACE(what);
      auto bad = domain;
      change(bad);
      EXPECT_THROW(NttRunner<C>(engine, component, bad), Error);
    };
    refused_domain("a root of another order", [](DomainCase<C>& bad) { bad.omega = bad.omega.square(); });
    refused_domain("one as the root", [](DomainCase<C>& bad) { bad.omega = Fr::one(); });
    refused_domain("no shift", [](DomainCase<C>& bad) { bad.shift = Fr::zero(); });
    refused_domain("an unknown basis", [](DomainCase<C>& bad) { bad.h_basis = 9; });
    refused_domain("too large a domain", [](DomainCase<C>& bad) { bad.log2_size = 60; });
    EXPECT_TRUE(runner.transform(runner.transform(v, CUZK_FORWARD), CUZK_INVERSE) == v);
  });
}

INSTANTIATE_TEST_SUITE_P(Plugin, NttTransforms, testing::ValuesIn(ntt_params()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttTransforms);

}  // namespace
}  // namespace cuzk::conformance
