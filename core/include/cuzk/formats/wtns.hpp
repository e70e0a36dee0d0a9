#pragma once
#include <string>

#include <cuzk/groth16/witness.hpp>

namespace cuzk {

class CpuPool;

/// Reads an iden3 .wtns into an aligned vector of the pool. A value >= r is refused with its index, as is a first value
/// other than one; the message never shows a value. Error bad_input names the file.
Witness read_wtns(const std::string& path, CpuPool&, HostPool&);

}  // namespace cuzk
