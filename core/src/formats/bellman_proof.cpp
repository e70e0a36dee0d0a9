#include "formats/bin_file.hpp"
#include "formats/counted.hpp"
#include "formats/read_intact.hpp"
#include "formats/zcash_points.hpp"

#include <algorithm>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/bellman_proof.hpp>

namespace cuzk {
namespace {

using namespace formats;
using G1 = arith::Bls12381::G1;
using G2 = arith::Bls12381::G2;

template <class G>
arith::Affine<G> read_point(SectionReader& reader, const std::string& name) {
  std::array<std::byte, zcash::kCompressedBytes<G>> bytes;
  std::ranges::copy(reader.bytes(bytes.size(), name), bytes.begin());
  const char* fault = nullptr;
  const auto point = zcash::decompress<G>(bytes, fault);
  if (!point) reader.fail(name + " " + fault);
  if (!arith::in_subgroup(*point)) reader.fail(name + " is not in the subgroup of prime order");
  return *point;
}

std::vector<Proof> read_all(const MappedFile& file) {
  const auto bytes = file.bytes();
  if (bytes.size() % kBellmanProofBytes != 0) {
    throw Error(ErrorCode::bad_input, file.path() + ": found " + counted(bytes.size(), "byte") +
                                          ", expected proofs of " + std::to_string(kBellmanProofBytes) + " bytes");
  }
  std::vector<Proof> proofs;
  for (uint64_t at = 0; at < bytes.size(); at += kBellmanProofBytes) {
    const Section section(file.path() + ": proof " + std::to_string(proofs.size()), at,
                          bytes.subspan(at, kBellmanProofBytes));
    SectionReader reader(section);
    ProofOf<arith::Bls12381> proof;
    proof.a = read_point<G1>(reader, "A");
    proof.b = read_point<G2>(reader, "B");
    proof.c = read_point<G1>(reader, "C");
    proofs.emplace_back(proof);
  }
  return proofs;
}

}  // namespace

std::array<std::byte, kBellmanProofBytes> encode_bellman_proof(const Proof& proof) {
  const auto* points = std::get_if<ProofOf<arith::Bls12381>>(&proof);
  if (points == nullptr) {
    throw Error(ErrorCode::usage, "found a proof on " + std::string(name(curve_of(proof))) +
                                      ", expected bls12-381 for bellman's encoding");
  }
  std::array<std::byte, kBellmanProofBytes> bytes;
  auto at = std::ranges::copy(zcash::compress(points->a), bytes.begin()).out;
  at = std::ranges::copy(zcash::compress(points->b), at).out;
  std::ranges::copy(zcash::compress(points->c), at);
  return bytes;
}

std::vector<Proof> read_bellman_proofs(const std::string& path) {
  const MappedFile file(path);
  return read_intact(file, [&] { return read_all(file); });
}

}  // namespace cuzk
