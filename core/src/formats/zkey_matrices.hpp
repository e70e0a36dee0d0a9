#pragma once
#include "formats/bin_file.hpp"

#include <memory>

#include <cuzk/curve.hpp>
#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::formats {

/// The coefficients of a .zkey's section 4, evaluated where they lie in the mapped file: u32 count, then entries of 44
/// bytes, {u32 matrix (0 = A, 1 = B), u32 constraint, u32 wire, value}, the value being coefficient R^2. Checks all of
/// them first: Error bad_input names the entry. Entries may stand in any order; where they are not sorted by
/// constraint, as snarkjs writes them, an index of 4 bytes an entry is built. Throws std::bad_alloc.
std::unique_ptr<const ConstraintMatrices> open_zkey_matrices(CpuPool& pool, Curve curve,
                                                             std::shared_ptr<const MappedFile> file,
                                                             const Section& section, uint64_t variables,
                                                             uint64_t domain_size);

}  // namespace cuzk::formats
