#include "formats/primes.hpp"

#include "formats/counted.hpp"

#include <algorithm>

#include <cuzk/groth16/proof.hpp>

namespace cuzk::formats {
namespace {

template <class Field>
bool is_modulus(std::span<const std::byte> bytes) {
  const auto modulus = std::as_bytes(std::span(Field::modulus()));
  return std::equal(bytes.begin(), bytes.end(), modulus.begin(), modulus.end());
}

/// Bn254Field, Bls12381Field: the two candidates.
template <class Bn254Field, class Bls12381Field>
Curve read_prime(SectionReader& reader, std::string_view what, const std::string& sizes) {
  const std::string field(what);
  const uint32_t n8 = reader.u32("length of the " + field + " prime");
  if (n8 != sizeof(Bn254Field) && n8 != sizeof(Bls12381Field)) {
    reader.fail(field + " field: found elements of " + counted(n8, "byte") + ", expected " + sizes);
  }
  const auto prime = reader.bytes(n8, field + " prime");
  if (is_modulus<Bn254Field>(prime)) return Curve::bn254;
  if (is_modulus<Bls12381Field>(prime)) return Curve::bls12_381;
  reader.fail(field + " field: found a prime of no known curve, expected that of bn254 or bls12-381");
}

}  // namespace

Curve read_scalar_prime(SectionReader& reader) {
  return read_prime<arith::Bn254Fr, arith::Bls12381Fr>(reader, "scalar", "32");
}

Curve read_base_prime(SectionReader& reader) {
  return read_prime<arith::Bn254Fp, arith::Bls12381Fp>(reader, "base", "32 (bn254) or 48 (bls12-381)");
}

}  // namespace cuzk::formats
