#pragma once
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk::testing {

/// x s_i = s_(i+1) with s_0 = x, so that s_i = x^(i+1). The first of them are the public signals; where there are more
/// signals than constraints, the rest occurs in no constraint. Another hidden variable occurs nowhere at all.
inline std::shared_ptr<const cuzk::Circuit> chain_circuit(Curve curve, uint64_t constraints, uint64_t publics) {
  auto circuit = std::make_shared<cuzk::Circuit>();
  circuit->name = "chain of " + std::to_string(constraints);
  circuit->curve = curve;
  circuit->publics = publics;
  with_curve(curve,
             [&]<class C>(std::type_identity<C>) { circuit->dictionary = {std::bit_cast<cuzk_fr>(C::Fr::one())}; });
  const auto x = static_cast<uint32_t>(publics + 1);
  uint32_t next = x + 2, last = x;
  for (uint32_t i = 0; i < constraints; ++i) {
    const uint32_t made = i < publics ? i + 1 : next++;
    circuit->a.columns.push_back(x);
    circuit->b.columns.push_back(last);
    circuit->c.columns.push_back(made);
    last = made;
    for (SparseMatrix* matrix : {&circuit->a, &circuit->b, &circuit->c}) {
      matrix->coefficients.push_back(0);
      matrix->row_begin.push_back(matrix->columns.size());
    }
  }
  circuit->variables = next;
  return circuit;
}

/// Of chain_circuit(): the signals and the variable that occur nowhere are 77.
inline Witness chain_witness(HostPool& pool, const cuzk::Circuit& circuit, uint64_t x) {
  Witness witness{"powers of " + std::to_string(x), circuit.curve, FrVector(pool, circuit.variables, "a witness")};
  with_curve(circuit.curve, [&]<class C>(std::type_identity<C>) {
    using Fr = typename C::Fr;
    const auto set = [&](uint64_t variable, const Fr& value) {
      witness.values.data()[variable] = std::bit_cast<cuzk_fr>(value.to_canonical());
    };
    for (uint64_t v = 0; v < circuit.variables; ++v) set(v, Fr::from_u64(77));
    set(0, Fr::one());
    set(circuit.publics + 1, Fr::from_u64(x));
    Fr power = Fr::from_u64(x);
    for (const uint32_t made : circuit.c.columns) set(made, power *= Fr::from_u64(x));
  });
  return witness;
}

}  // namespace cuzk::testing
