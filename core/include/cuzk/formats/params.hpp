#pragma once
#include <memory>
#include <string>

#include <cuzk/formats/byte_sink.hpp>
#include <cuzk/groth16/proving_key.hpp>

namespace cuzk {

class HostServices;

/// Opens a proving key as bellman writes it for Filecoin (BLS12-381), with the circuit's PCE, which has the matrices
/// and the densities that the key leaves out. Both are mapped; points are decoded in PointSource::read(). Checks that
/// the counts are those of the circuit, that the file ends where they say, and of every point its flags, its
/// coordinates and that it is on the curve and not infinity; of the verification key's points the subgroup, too. Error
/// bad_input names file, vector, offset, found and expected. insecure: what the caller knows of the key's secrets, for
/// which the format has no place.
std::shared_ptr<const ProvingKey> open_params(const std::string& params, const std::string& pce, CpuPool&,
                                              bool insecure = false);
/// The same on the services' threads, with the spans "open key" and "check points" in their timeline.
std::shared_ptr<const ProvingKey> open_params(const std::string& params, const std::string& pce, HostServices&);

/// Writes a key of bellman's conventions as such a file: h over powers of tau, the root from 7, l over all private
/// variables, a over all inputs and some others, b1 and b2 over the same variables. Points are read and encoded in
/// pieces. Error usage: a key of other conventions, or a point at infinity, which the format has no room for.
void write_params(const ProvingKey&, const ByteSink&);

}  // namespace cuzk
