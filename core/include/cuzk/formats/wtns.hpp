#pragma once
#include <string>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

class CpuPool;

/// Reads an iden3 .wtns into an aligned vector of the pool. A value >= r is refused with its index, as is a first value
/// other than one; the message never shows a value. Error bad_input names the file.
/// key: the one that the witness is for, or null. Another curve or another number of values is refused from the header,
/// before any value is read, with the names of both.
Witness read_wtns(const std::string& path, CpuPool&, HostPool&, const ProvingKey* key = nullptr);

}  // namespace cuzk
