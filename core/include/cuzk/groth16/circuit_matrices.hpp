#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

class CpuPool;

/// A and B of a circuit in memory, with the rows x_i 0 = 0 behind the constraints (A: coefficient 1 of variable i in
/// row constraints + i, the leading one and the public signals). domain_size: at least constraints + publics + 1.
std::unique_ptr<const ConstraintMatrices> circuit_matrices(std::shared_ptr<const Circuit>, uint64_t domain_size);

/// The least index of a constraint that the witness violates, or nothing. Error bad_input, with both names, when the
/// witness is of another curve or has another number of values.
std::optional<uint64_t> first_violation(CpuPool&, const Circuit&, const Witness&);

}  // namespace cuzk
