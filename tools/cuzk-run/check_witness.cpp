#include "check_witness.hpp"

#include <cstring>
#include <filesystem>
#include <string_view>

#include <cuzk/error.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/formats/pce.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>

namespace cuzk::run {
namespace {

/// By its first bytes.
bool is_pce(const std::string& path) {
  const MappedFile file(path);
  const std::string_view magic = "PCE";
  return file.bytes().size() >= magic.size() && std::memcmp(file.bytes().data(), magic.data(), magic.size()) == 0;
}

WitnessVerdict ask(HostServices& services, const std::string& circuit_file, const WitnessSource& load) {
  if (is_pce(circuit_file)) {
    const Pce pce(circuit_file, services.cpu());
    return {pce.path(), pce.rows() - pce.inputs(), pce.first_violation(services.cpu(), load())};
  }
  const R1cs r1cs(circuit_file, services.cpu());
  return {r1cs.path(), r1cs.header().constraints, r1cs.first_violation(services.cpu(), load())};
}

/// The file with the constraints of a key, or "".
std::string circuit_file(const Options& options, const KeyPlace& place) {
  if (!options.r1cs.empty()) return options.r1cs;
  if (place.kind == KeyPlace::Kind::params) return place.pce;
  if (place.kind != KeyPlace::Kind::zkey) return {};
  const auto beside = std::filesystem::path(place.file).replace_extension(".r1cs");
  std::error_code error;
  return std::filesystem::is_regular_file(beside, error) ? beside.string() : std::string();
}

std::string explained(const WitnessVerdict& verdict) {
  return "the witness " + words(verdict) + (verdict.violation ? "" : ", so the key is damaged or of another circuit");
}

}  // namespace

std::string words(const WitnessVerdict& verdict) {
  if (verdict.violation) return "violates constraint " + std::to_string(*verdict.violation) + " of " + verdict.circuit;
  return "satisfies all " + std::to_string(verdict.constraints) + " constraints of " + verdict.circuit;
}

WitnessVerdict check_witness(HostServices& services, const std::string& circuit_file, const std::string& witness_file) {
  return ask(services, circuit_file, [&] { return read_wtns(witness_file, services.cpu(), services.memory()); });
}

std::string why_unverified(HostServices& services, const Options& options, const KeyPlace& place, const OpenKey& opened,
                           const WitnessSource& source) {
  try {
    if (opened.workload) {
      const Circuit& circuit = *opened.workload->circuit();
      return explained({circuit.name, circuit.constraints(), first_violation(services.cpu(), circuit, source())});
    }
    const std::string file = circuit_file(options, place);
    if (!file.empty()) return explained(ask(services, file, source));
  } catch (const Error& error) {
    return std::string("the witness violates a constraint, or the key is damaged; to tell which, ") + error.what();
  }
  return "the witness violates a constraint, or the key is damaged; --r1cs tells which";
}

}  // namespace cuzk::run
