#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <cuzk/groth16/proof.hpp>

namespace cuzk {

inline constexpr size_t kBellmanProofBytes = 192;

/// A | B | C as bellman writes them (BLS12-381): compressed points of zcash's encoding, 48 + 96 + 48 bytes. Error usage
/// for a proof on another curve.
std::array<std::byte, kBellmanProofBytes> encode_bellman_proof(const Proof&);

/// The proofs of one file: one for each partition, one behind another. Checks flags, coordinates, that there is a point
/// of that x, its subgroup and that it is not infinity. Error bad_input names file, proof, point and offset.
std::vector<Proof> read_bellman_proofs(const std::string& path);

}  // namespace cuzk
