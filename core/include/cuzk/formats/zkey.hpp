#pragma once
#include <memory>
#include <string>

#include <cuzk/groth16/proving_key.hpp>

namespace cuzk {

class HostServices;

/// Opens a snarkjs Groth16 .zkey: mapped, points where they lie. Checks container, header, counts, coefficients
/// (matrix, row, wire in range, value < r) and that coordinates are below the modulus and points on the curve. Error
/// bad_input names file, section, index, found and expected; plonk and fflonk keys are refused by name. ProvingKey::
/// insecure: the file says so, as write_zkey() makes it.
std::shared_ptr<const ProvingKey> open_zkey(const std::string& path, CpuPool&);
/// The same on the services' threads, with the spans "open key" and "check points" in their timeline.
std::shared_ptr<const ProvingKey> open_zkey(const std::string& path, HostServices&);

}  // namespace cuzk
