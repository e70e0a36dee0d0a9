#include "chain.hpp"
#include "fakes.hpp"
#include "groth16/fixed_base.hpp"
#include "groth16/qap.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk::testing {
namespace {

constexpr Conventions kBoth[] = {Conventions::snarkjs, Conventions::bellman};
constexpr Curve kCurves[] = {Curve::bn254, Curve::bls12_381};

template <class G>
class FixedBaseTest : public ::testing::Test {};
using Groups = ::testing::Types<arith::Bn254::G1, arith::Bn254::G2, arith::Bls12381::G1, arith::Bls12381::G2>;
TYPED_TEST_SUITE(FixedBaseTest, Groups);

/// The widths of the windows follow from the number of multiples: from 4 bits to the widest.
TYPED_TEST(FixedBaseTest, GivesTheMultiplesOfScalarMul) {
  using G = TypeParam;
  using Fr = typename G::Scalar;
  CpuPool pool(2);
  std::vector<Fr> scalars{Fr::zero(), Fr::one(), -Fr::one(), Fr::from_u64(2), -Fr::from_u64(2), Fr::one().halved()};
  for (uint64_t bit = 1; bit < Fr::kBits - 1; ++bit) {  // carries everywhere
    typename Fr::Limbs power{};
    power[bit / 64] = uint64_t{1} << (bit % 64);
    scalars.push_back(Fr::from_canonical(power));
    scalars.push_back(-Fr::from_canonical(power));
  }
  for (Fr x = Fr::from_u64(3); scalars.size() < 700;) scalars.push_back(x = x.square() + Fr::one());
  std::vector<arith::Affine<G>> points(scalars.size());
  for (const uint64_t count : {1U, 100U, 5000U}) {
    const groth16::FixedBase<G> base(pool, G::generator(), count);
    base.multiply(std::span(points), [&](uint64_t first, std::span<Fr> out) {
      std::copy_n(scalars.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    });
    for (size_t i = 0; i < scalars.size(); ++i) {
      ASSERT_EQ(points[i], arith::scalar_mul(G::generator(), scalars[i]).to_affine()) << i << " of " << count;
    }
  }
}

/// The defining property: the values sum up any polynomial of degree < n from its values.
TEST(Lagrange, InterpolatesAtTau) {
  using Fr = arith::Bn254Fr;
  constexpr uint64_t n = 8;
  const Fr omega = Fr::from_u64(5).pow(arith::limbs::shift_right(Fr::Constants::kMinusOne, 3));
  const Fr tau = Fr::from_u64(123456789), scale = Fr::from_u64(11);
  const auto polynomial = [](const Fr& x) {
    Fr value;
    for (uint64_t i = 0; i < n; ++i) value = value * x + Fr::from_u64(i * i + 3);
    return value;
  };
  for (const Fr& shift : {Fr::one(), Fr::from_u64(7)}) {
    const groth16::LagrangeAt<Fr> lagrange(tau, omega, shift, n, scale);
    std::vector<Fr> values(n);
    lagrange(0, std::span(values).first(3));
    lagrange(3, std::span(values).subspan(3));
    Fr sum, x = shift;
    for (const Fr& value : values) {
      sum += value * polynomial(x);
      x *= omega;
    }
    EXPECT_EQ(sum, scale * polynomial(tau));
  }
}

TEST(Setup, MakesKeysThatProveFromOneConstraintUp) {
  HostServices services(2);
  for (const Curve curve : kCurves) {
    for (const Conventions conventions : kBoth) {
      for (const uint64_t publics : {0U, 1U, 3U}) {
        for (const uint64_t constraints : {1U, 3U, 4U, 8U}) {
          SCOPED_TRACE(std::string(name(curve)) + (conventions == Conventions::bellman ? " bellman " : " snarkjs ") +
                       std::to_string(publics) + " signals, " + std::to_string(constraints) + " constraints");
          const auto circuit = chain_circuit(curve, constraints, publics);
          const auto key = setup(circuit, conventions, 5, services.cpu());
          EXPECT_TRUE(key->insecure);
          EXPECT_EQ(key->shape.domain_size(), std::bit_ceil(constraints + publics + 1));
          FakeEngine engine({});
          Prover prover(services, engine.strategy, 0, key);
          const ProofResult result = prover.prove(chain_witness(services.memory(), *circuit, 3));
          EXPECT_TRUE(result.verified);
          EXPECT_EQ(result.signals.size(), publics);
        }
      }
    }
  }
}

TEST(Setup, AViolatedConstraintShowsInTheProof) {
  HostServices services(1);
  for (const Conventions conventions : kBoth) {
    const auto circuit = chain_circuit(Curve::bls12_381, 6, 1);
    FakeEngine engine({});
    Prover prover(services, engine.strategy, 0, setup(circuit, conventions, 5, services.cpu()));
    Witness witness = chain_witness(services.memory(), *circuit, 3);
    witness.values.data()[5].limb[0] ^= 1;
    try {
      prover.prove(witness);
      FAIL() << "a proof of a witness that violates a constraint verified";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unverified);
    }
  }
}

bool same_bytes(const PointSource& a, const PointSource& b, size_t point) {
  return a.count() == b.count() && std::equal(a.direct(), a.direct() + a.count() * point, b.direct());
}

TEST(Setup, TheSeedAloneDecidesTheKey) {
  CpuPool one(1), seven(7);
  for (const Conventions conventions : kBoth) {
    const auto circuit = chain_circuit(Curve::bn254, 600, 2);
    const auto key = setup(circuit, conventions, 1, one), same = setup(circuit, conventions, 1, seven),
               other = setup(circuit, conventions, 2, one);
    for (size_t i = 0; i < kQueries; ++i) {
      const auto id = static_cast<QueryId>(i);
      const size_t size = point_bytes(Curve::bn254, group_of(id));
      EXPECT_TRUE(same_bytes(*key->query(id).points, *same->query(id).points, size)) << name(id);
      EXPECT_FALSE(same_bytes(*key->query(id).points, *other->query(id).points, size)) << name(id);
    }
  }
}

/// The chain's variables: one, a signal, x, one that occurs nowhere, and powers, of which the last is in no A and no B.
TEST(Setup, VariablesThatDoNotOccurAreInfinityOrLeftOut) {
  CpuPool pool(1);
  const auto circuit = chain_circuit(Curve::bn254, 3, 1);
  ASSERT_EQ(circuit->variables, 6U);
  constexpr std::string_view kInA = "111000", kInB = "011010";  // A: also the inputs' own rows
  const auto snarkjs = setup(circuit, Conventions::snarkjs, 1, pool);
  const auto bellman = setup(circuit, Conventions::bellman, 1, pool);
  for (const auto& [id, occurs] : {std::pair{QueryId::a, kInA}, {QueryId::b1, kInB}, {QueryId::b2, kInB}}) {
    SCOPED_TRACE(name(id));
    const size_t size = point_bytes(Curve::bn254, group_of(id));
    const KeyQuery& all = snarkjs->query(id);
    const KeyQuery& some = bellman->query(id);
    EXPECT_TRUE(all.select.empty());
    ASSERT_EQ(all.points->count(), 6U);
    ASSERT_EQ(some.select.size(), 1U);
    EXPECT_EQ(some.span, 6U);
    EXPECT_TRUE(bellman->shape.queries[static_cast<size_t>(id)].selects);
    uint64_t used = 0;
    for (uint64_t v = 0; v < 6; ++v) {
      const std::byte* point = all.points->direct() + v * size;
      const bool infinity = std::all_of(point, point + size, [](std::byte b) { return b == std::byte{0}; });
      EXPECT_EQ(infinity, occurs[v] == '0') << v;
      EXPECT_EQ(some.select[0] >> v & 1, occurs[v] == '1' ? 1U : 0U) << v;
      used += occurs[v] == '1' ? 1 : 0;
    }
    EXPECT_EQ(some.points->count(), used);
  }
  EXPECT_EQ(snarkjs->query(QueryId::h).points->count(), 8U);
  EXPECT_EQ(bellman->query(QueryId::h).points->count(), 7U);
}

TEST(Setup, RefusesACircuitWithoutConstraints) {
  CpuPool pool(1);
  EXPECT_THROW(setup(chain_circuit(Curve::bn254, 0, 1), Conventions::snarkjs, 1, pool), Error);
}

TEST(CircuitMatrices, EvaluatesRowsOfInputsAndClearsTheRest) {
  CpuPool pool(2);
  HostPool memory;
  const auto circuit = chain_circuit(Curve::bls12_381, 4, 2);
  const Witness witness = chain_witness(memory, *circuit, 3);
  std::vector<cuzk_fr> a(16, {{9, 9, 9, 9}}), b = a;
  circuit_matrices(circuit, 16)->evaluate(pool, witness.values.span(), a, b);
  using Fr = arith::Bls12381Fr;
  const std::vector<uint64_t> expected_a{3, 3, 3, 3, 1, 9, 27}, expected_b{3, 9, 27, 81};
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(std::bit_cast<Fr>(a[i]), Fr::from_u64(i < expected_a.size() ? expected_a[i] : 0)) << i;
    EXPECT_EQ(std::bit_cast<Fr>(b[i]), Fr::from_u64(i < expected_b.size() ? expected_b[i] : 0)) << i;
  }
  EXPECT_THROW(circuit_matrices(circuit, 4), Error);
}

TEST(Setup, StopsWhenItsServicesAreCancelled) {
  HostServices services(2);
  const auto circuit = chain_circuit(Curve::bn254, 100, 2);
  ASSERT_NE(setup(circuit, Conventions::snarkjs, 1, services.cpu()), nullptr);
  services.cancel_all();
  try {
    setup(circuit, Conventions::snarkjs, 1, services.cpu());
    FAIL() << "a key was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST(CircuitMatrices, NamesTheFirstViolation) {
  CpuPool pool(3);
  HostPool memory;
  const auto circuit = chain_circuit(Curve::bn254, 5000, 2);
  Witness witness = chain_witness(memory, *circuit, 3);
  EXPECT_EQ(first_violation(pool, *circuit, witness), std::nullopt);
  for (const uint64_t constraint : {4999U, 2500U, 7U, 0U}) {  // variables rise with the constraints
    witness.values.data()[circuit->c.columns[constraint]].limb[0] ^= 1;
    EXPECT_EQ(first_violation(pool, *circuit, witness), constraint);
  }
  const auto other = chain_circuit(Curve::bls12_381, 5000, 2);
  try {
    first_violation(pool, *other, witness);
    FAIL() << "a witness of another curve was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
  }
}

}  // namespace
}  // namespace cuzk::testing
