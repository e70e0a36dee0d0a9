#pragma once
/// The vectors of Filecoin's formats.

#include "oracle.hpp"
#include "support.hpp"

#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include <cuzk/formats/params.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/groth16/circuit.hpp>

namespace cuzk::test {

/// tests/vectors/params/NAME.
inline std::string params_file(const std::string& name) { return std::string(CUZK_TEST_VECTORS) + "/params/" + name; }
inline nlohmann::json params_json(const std::string& name) {
  return nlohmann::json::parse(read_text(params_file(name)));
}
inline Bytes read_bytes(const std::string& path) {
  const std::string text = read_text(path);
  return {text.begin(), text.end()};
}

/// The bytes of hexadecimal digits.
inline Bytes from_hex(const std::string& digits) {
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// Collects what a writer writes.
inline ByteSink into(Bytes& bytes) {
  return [&bytes](std::span<const std::byte> part) {
    const auto* at = reinterpret_cast<const unsigned char*>(part.data());
    bytes.insert(bytes.end(), at, at + part.size());
  };
}

/// A matrix from rows of {variable, index into the dictionary}, rising.
inline void append_row(SparseMatrix& matrix, const std::map<uint32_t, uint32_t>& row) {
  for (const auto& [column, coefficient] : row) {
    matrix.columns.push_back(column);
    matrix.coefficients.push_back(coefficient);
  }
  matrix.row_begin.push_back(matrix.columns.size());
}

/// The constraints of an .r1cs on BLS12-381.
inline Circuit circuit_of(const R1cs& r1cs) {
  using Fr = arith::Bls12381::Fr;
  Circuit circuit;
  circuit.name = r1cs.path();
  circuit.curve = r1cs.header().curve;
  circuit.variables = r1cs.header().wires;
  circuit.publics = r1cs.header().outputs + r1cs.header().public_inputs;
  const auto append = [&](SparseMatrix& matrix, const LinearCombination& sum) {
    std::map<uint32_t, uint32_t> row;
    for (uint32_t i = 0; i < sum.size(); ++i) {
      const Fr value = Fr::from_canonical(std::bit_cast<Fr::Limbs>(sum[i].coefficient));
      row[sum[i].wire] = static_cast<uint32_t>(circuit.dictionary.size());
      circuit.dictionary.push_back(std::bit_cast<cuzk_fr>(value.limb));
    }
    append_row(matrix, row);
  };
  r1cs.for_each([&](uint64_t, const Constraint& constraint) {
    append(circuit.a, constraint.a);
    append(circuit.b, constraint.b);
    append(circuit.c, constraint.c);
  });
  return circuit;
}

}  // namespace cuzk::test
