#include "fakes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::testing {
namespace {

Workload workload(const std::string& text) { return Workload(parse_workload(text)); }

bool is_bit(const cuzk_fr& value) { return (value.limb[1] | value.limb[2] | value.limb[3]) == 0 && value.limb[0] <= 1; }

bool same(std::span<const cuzk_fr> a, std::span<const cuzk_fr> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST(WorkloadSpec, SpellsEveryOptionOut) {
  EXPECT_EQ(to_string(parse_workload("dense:16")), "dense:16,curve=bn254,rows=0,seed=1");
  EXPECT_EQ(to_string(parse_workload("porep:20")), "porep:20,curve=bls12-381,rows=0,seed=1,bits=0.95,partitions=10");
  EXPECT_EQ(to_string(parse_workload("porep:4,partitions=3,seed=18446744073709551615,bits=0.5,rows=+1,curve=bn254")),
            "porep:4,curve=bn254,rows=+1,seed=18446744073709551615,bits=0.5,partitions=3");
  EXPECT_EQ(to_string(parse_workload("dense:27,rows=1,curve=bls12-381")), "dense:27,curve=bls12-381,rows=+1,seed=1");
  for (const char* text : {"dense:5,rows=-1", "porep:8,bits=1", "porep:6,bits=0.1", "porep:6,bits=1e-3"}) {
    const std::string canonical = to_string(parse_workload(text));
    EXPECT_EQ(to_string(parse_workload(canonical)), canonical);
  }
}

TEST(WorkloadSpec, SaysWhatIsWrong) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "found kind '', expected dense:K or porep:K"},
      {"sparse:4", "found kind 'sparse'"},
      {"dense", "size K of dense:K: found '', expected a whole number from 4 to 27"},
      {"dense:3", "found '3'"},
      {"dense:28", "found '28'"},
      {"porep:20x", "size K of porep:K: found '20x'"},
      {"porep:+20", "found '+20'"},
      {"porep:20,", "found option ''"},
      {"porep:20,bits", "found option 'bits', expected NAME=VALUE with a name of bits, curve, partitions, rows, seed"},
      {"porep:20,bit=1", "found option 'bit'"},
      {"dense:20,bits=1", "found option 'bits', expected NAME=VALUE with a name of curve, rows, seed"},
      {"porep:20,bits=1.01", "bits: found '1.01', expected a share from 0 to 1"},
      {"porep:20,bits=nan", "bits: found 'nan'"},
      {"porep:20,bits=-0.1", "bits: found '-0.1'"},
      {"porep:20,partitions=0", "partitions: found '0', expected a whole number from 1 to 1000"},
      {"porep:20,curve=bn128", "curve: found 'bn128', expected bn254 or bls12-381"},
      {"dense:20,seed=-1", "seed: found '-1'"},
      {"dense:20,seed=18446744073709551616", "seed: found '18446744073709551616'"},
      {"dense:20,rows=2", "rows: found '2', expected -1, 0 or +1"},
      {"dense:20,seed=1,rows=0,seed=1", "option seed stands there twice"},
  };
  for (const auto& [text, part] : cases) {
    try {
      parse_workload(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Workload, HasExactlyTheRowsAskedFor) {
  for (const char* kind : {"dense:", "porep:"}) {
    for (const uint64_t log2 : {4U, 5U, 9U}) {
      for (const int64_t extra : {-1, 0, 1}) {
        const std::string text =
            kind + std::to_string(log2) + ",rows=" + (extra > 0 ? "+" : "") + std::to_string(extra);
        const Workload made = workload(text);
        const cuzk::Circuit& circuit = *made.circuit();
        EXPECT_EQ(static_cast<int64_t>(circuit.constraints() + circuit.publics + 1), (int64_t{1} << log2) + extra)
            << text;
      }
    }
  }
}

/// Everything a user of the circuit may count on.
void expect_well_formed(const cuzk::Circuit& circuit) {
  std::vector<bool> occurs(circuit.variables);
  for (const SparseMatrix* matrix : {&circuit.a, &circuit.b, &circuit.c}) {
    ASSERT_EQ(matrix->rows(), circuit.constraints());
    ASSERT_EQ(matrix->row_begin.back(), matrix->columns.size());
    ASSERT_EQ(matrix->coefficients.size(), matrix->columns.size());
    for (uint64_t row = 0; row < matrix->rows(); ++row) {
      for (uint64_t i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; ++i) {
        ASSERT_LT(matrix->columns[i], circuit.variables);
        ASSERT_LT(matrix->coefficients[i], circuit.dictionary.size());
        if (i > matrix->row_begin[row]) {
          ASSERT_LT(matrix->columns[i - 1], matrix->columns[i]);
        }
        occurs[matrix->columns[i]] = true;
      }
    }
  }
  EXPECT_EQ(std::count(occurs.begin(), occurs.end(), false), 0) << "variables that occur nowhere";
}

TEST(Workload, EveryWitnessSatisfiesItsCircuitAndIsAnother) {
  CpuPool pool(2);
  HostPool memory;
  for (const std::string curve : {"bn254", "bls12-381"}) {
    for (const std::string start : {"dense:4", "dense:10", "porep:4,partitions=3", "porep:6,bits=0", "porep:8,bits=1",
                                    "porep:5,bits=0.01", "porep:10,bits=0.5", "porep:11,rows=+1,partitions=2"}) {
      const std::string text = start + ",curve=" + curve;
      SCOPED_TRACE(text);
      const Workload made = workload(text);
      expect_well_formed(*made.circuit());
      std::vector<Witness> witnesses;
      for (uint32_t p = 0; p < made.spec().partitions; ++p) {
        witnesses.push_back(made.witness(p, pool, memory));
        const Witness& witness = witnesses.back();
        EXPECT_EQ(first_violation(pool, *made.circuit(), witness), std::nullopt);
        const cuzk_fr one{{1, 0, 0, 0}};
        EXPECT_TRUE(same(witness.values.span().first(1), std::span(&one, 1)));
        for (uint32_t other = 0; other < p; ++other) {
          EXPECT_FALSE(same(witness.values.span(), witnesses[other].values.span()));
          if (start.find("bits=1") != std::string::npos) continue;  // one signal of one bit
          const uint64_t publics = made.circuit()->publics;
          EXPECT_FALSE(
              same(witness.values.span().subspan(1, publics), witnesses[other].values.span().subspan(1, publics)));
        }
      }
      EXPECT_TRUE(same(workload(text).witness(0, pool, memory).values.span(), witnesses[0].values.span()));
      EXPECT_FALSE(same(workload(text + ",seed=2").witness(0, pool, memory).values.span(), witnesses[0].values.span()));
      EXPECT_THROW(made.witness(made.spec().partitions, pool, memory), Error);
    }
  }
}

TEST(Workload, DenseValuesAreFullWidthAndRowsHaveSeveralTerms) {
  CpuPool pool(2);
  HostPool memory;
  const Workload made = workload("dense:12");
  const Witness witness = made.witness(0, pool, memory);
  for (const cuzk_fr& value : witness.values.span().subspan(1)) {
    ASSERT_NE(value.limb[1] | value.limb[2] | value.limb[3], 0U);
  }
  EXPECT_GT(made.circuit()->a.columns.size(), 2 * made.circuit()->constraints() - 2);
  EXPECT_GT(made.circuit()->b.columns.size(), 2 * made.circuit()->constraints() - 2);
}

TEST(Workload, PorepHasTheShareOfBitsAskedFor) {
  CpuPool pool(2);
  HostPool memory;
  for (const double share : {0.0, 0.25, 0.5, 0.95, 0.99, 1.0}) {
    const Workload made = workload("porep:12,bits=" + std::to_string(share));
    const auto values = made.witness(9, pool, memory);
    const auto bits = std::count_if(values.values.span().begin(), values.values.span().end(), is_bit);
    EXPECT_NEAR(static_cast<double>(bits) / static_cast<double>(values.values.size()), share, 0.007) << share;
  }
}

/// The figures of the proof of replication: DESIGN's proportions hold for any share of bits.
TEST(Workload, PorepHasTheProportionsOfFilecoin) {
  for (const std::string bits : {"0", "0.5", "0.95", "1"}) {
    SCOPED_TRACE(bits);
    const Workload made = workload("porep:14,bits=" + bits);
    const cuzk::Circuit& circuit = *made.circuit();
    const auto rows = static_cast<double>(circuit.constraints());
    EXPECT_EQ(circuit.publics, 257U);
    EXPECT_NEAR(static_cast<double>(circuit.a.columns.size()) / rows, 2.375, 0.02);
    EXPECT_NEAR(static_cast<double>(circuit.b.columns.size()) / rows, 1.0, 0.001);
    EXPECT_NEAR(static_cast<double>(circuit.c.columns.size()) / rows, 2.17, 0.02);
    const auto hidden = circuit.variables - circuit.publics - 1;
    const auto share = [&](const SparseMatrix& matrix) {
      std::set<uint32_t> seen(matrix.columns.begin(), matrix.columns.end());
      seen.erase(seen.begin(), seen.lower_bound(static_cast<uint32_t>(circuit.publics + 1)));
      return static_cast<double>(seen.size()) / static_cast<double>(hidden);
    };
    EXPECT_NEAR(share(circuit.a), 0.9968, 0.001);
    EXPECT_NEAR(share(circuit.b), 0.2544, 0.001);
    EXPECT_NEAR(static_cast<double>(hidden) / rows, 1.0, 0.02);
  }
}

TEST(Workload, UsesFilecoinsConventionsWhereFilecoinDoes) {
  EXPECT_EQ(workload("porep:4").conventions(), Conventions::bellman);
  EXPECT_EQ(workload("porep:4,curve=bn254").conventions(), Conventions::snarkjs);
  EXPECT_EQ(workload("dense:4,curve=bls12-381").conventions(), Conventions::snarkjs);
}

TEST(Workload, ItsKeyProvesEveryPartition) {
  HostServices services(2);
  for (const char* text :
       {"dense:5", "dense:4,curve=bls12-381,rows=+1", "porep:5,partitions=2", "porep:5,curve=bn254,partitions=2"}) {
    SCOPED_TRACE(text);
    const Workload made = workload(text);
    FakeEngine engine({});
    Prover prover(services, engine.strategy, 0,
                  setup(made.circuit(), made.conventions(), made.spec().seed, services.cpu()));
    for (uint32_t p = 0; p < made.spec().partitions; ++p) {
      EXPECT_TRUE(prover.prove(made.witness(p, services.cpu(), services.memory())).verified);
    }
  }
}

}  // namespace
}  // namespace cuzk::testing
