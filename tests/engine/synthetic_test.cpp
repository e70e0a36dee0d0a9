// Circuits made in the process, through the plugins of this build: sizes beside a power of two, and circuits that lack
// what most have.
#include "plugins.hpp"

#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::testing {
namespace {

constexpr Conventions kConventions[] = {Conventions::snarkjs, Conventions::bellman};

bool proves(Plugins& plugins, const std::shared_ptr<const ProvingKey>& key, const Witness& witness) {
  Prover prover(plugins.services, plugins.strategy(*key, "single-lock"), 0, key);
  return prover.prove(witness).verified;
}

TEST(Synthetic, SizesBesideAPowerOfTwo) {
  Plugins plugins(2);
  for (const char* kind : {"dense", "porep"}) {
    for (const char* curve : {"bn254", "bls12-381"}) {
      for (int log2 = 4; log2 <= 9; ++log2) {
        for (const char* rows : {"-1", "0", "+1"}) {
          const std::string spec = std::string(kind) + ":" + std::to_string(log2) + ",curve=" + curve + ",rows=" + rows;
          SCOPED_TRACE(spec);
          const Workload workload(parse_workload(spec));
          const auto key =
              setup(workload.circuit(), workload.conventions(), workload.spec().seed, plugins.services.cpu());
          EXPECT_EQ(key->shape.domain.log2_size, static_cast<uint32_t>(log2 + (rows[0] == '+' ? 1 : 0)));
          EXPECT_TRUE(proves(plugins, key, workload.witness(0, plugins.services.cpu(), plugins.services.memory())));
        }
      }
    }
  }
}

/// x y = z with all three public, as a product or as the sum x + y = z: no private variable, no entry in B.
TEST(Synthetic, AllPublicAndPurelyLinearCircuits) {
  Plugins plugins(2);
  for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
    for (const bool linear : {false, true}) {
      for (const Conventions conventions : kConventions) {
        SCOPED_TRACE(std::string(name(curve)) + (linear ? " linear" : " product") +
                     (conventions == Conventions::snarkjs ? " snarkjs" : " bellman"));
        auto circuit = std::make_shared<cuzk::Circuit>();
        circuit->name = "three public signals";
        circuit->curve = curve;
        circuit->variables = 4;
        circuit->publics = 3;
        circuit->dictionary = with_curve(curve, []<class C>(std::type_identity<C>) {
          return std::vector<cuzk_fr>{std::bit_cast<cuzk_fr>(C::Fr::one().limb),
                                      std::bit_cast<cuzk_fr>((-C::Fr::one()).limb)};
        });
        if (linear) {
          circuit->a = {{0, 3}, {1, 2, 3}, {0, 0, 1}};  // (x + y - z) 0 = 0
          circuit->b = {{0, 0}, {}, {}};
          circuit->c = {{0, 0}, {}, {}};
        } else {
          circuit->a = {{0, 1}, {1}, {0}};
          circuit->b = {{0, 1}, {2}, {0}};
          circuit->c = {{0, 1}, {3}, {0}};
        }
        const auto key = setup(circuit, conventions, 1, plugins.services.cpu());
        Witness witness{"a witness", curve, FrVector(plugins.services.memory(), 4, "a witness")};
        const uint64_t values[] = {1, 5, 7, linear ? 12U : 35U};
        for (size_t i = 0; i < 4; ++i) witness.values.data()[i] = {{values[i], 0, 0, 0}};
        EXPECT_TRUE(proves(plugins, key, witness));
      }
    }
  }
}

}  // namespace
}  // namespace cuzk::testing
