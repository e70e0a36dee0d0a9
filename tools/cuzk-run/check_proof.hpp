#pragma once
#include <string>

namespace cuzk::run {

/// Whether the proof of one file holds for the key and the public signals of the others, all in snarkjs's JSON. Error
/// bad_input names the file, and both where two do not belong together.
bool check_proof(const std::string& key_file, const std::string& public_file, const std::string& proof_file);

}  // namespace cuzk::run
