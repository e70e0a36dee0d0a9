#pragma once
#include "options.hpp"

#include <string>

namespace cuzk::run {

/// Whether the proof of one file holds for the key and the public signals of the others, all in snarkjs's JSON but
/// the proof, where the format is bellman's. Error
/// bad_input names the file, and both where two do not belong together.
bool check_proof(const std::string& key_file, const std::string& public_file, const std::string& proof_file,
                 ProofFormat format);

}  // namespace cuzk::run
