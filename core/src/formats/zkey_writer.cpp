#include "formats/bin_writer.hpp"
#include "formats/zkey_sections.hpp"
#include "groth16/qap.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <cuzk/formats/iden3_writers.hpp>

namespace cuzk {
namespace {

using namespace formats;
using namespace formats::zkey;

constexpr uint32_t kGroth16 = 1;
constexpr uint64_t kEntryBytes = 44, kCircuitHashBytes = 64;

void require_fit(const ProvingKey& key, const Circuit& circuit) {
  const KeyShape& shape = key.shape;
  if (shape.curve != circuit.curve || shape.variables != circuit.variables || shape.publics != circuit.publics ||
      shape.domain_size() < circuit.constraints() + circuit.publics + 1) {
    throw Error(ErrorCode::usage, key.name + ": not a key of the circuit " + circuit.name);
  }
  const bool selects = std::any_of(shape.queries.begin(), shape.queries.end(), [](const auto& q) { return q.selects; });
  if (shape.domain.h_basis != CUZK_H_COSET_LAGRANGE || selects) {
    throw Error(ErrorCode::usage, key.name + ": a .zkey holds keys of snarkjs's conventions only, this one has others");
  }
}

template <class C>
class Writer {
 public:
  Writer(const ProvingKey& key, const Circuit& circuit, const ByteSink& sink)
      : key_(key),
        circuit_(circuit),
        variables_(u32_count(key.name, "variables", circuit.variables)),
        domain_(u32_count(key.name, "rows of the domain", key.shape.domain_size())),
        entries_(u32_count(key.name, "coefficients",
                           circuit.a.columns.size() + circuit.b.columns.size() + circuit.publics + 1)),
        out_(sink, "zkey", 1, key.insecure ? 11 : 10) {}

  void write() {
    out_.section(kProtocol, 4);
    out_.value(kGroth16);
    header();
    const auto& ic = std::get<VerifyingKeyOf<C>>(key_.verifying_key).ic;
    out_.section(kIc, ic.size() * sizeof ic[0]);
    out_.bytes(std::as_bytes(std::span(ic)));
    coefficients();
    points(kA, QueryId::a);
    points(kB1, QueryId::b1);
    points(kB2, QueryId::b2);
    points(kC, QueryId::l);
    points(kH, QueryId::h);
    out_.section(kContributions, kCircuitHashBytes + 4);
    out_.bytes(std::array<std::byte, kCircuitHashBytes>{});
    out_.value(uint32_t{0});
    if (key_.insecure) {
      const std::string text =
          "INSECURE: made by cuzk's setup in one process, from a seed; the secrets of this key are "
          "known. For tests and benchmarks only. Circuit: " +
          circuit_.name + "\n";
      out_.section(kInsecure, text.size());
      out_.bytes(std::as_bytes(std::span(text)));
    }
    out_.finish();
  }

 private:
  using Fr = typename C::Fr;
  using Fp = typename C::Fp;

  void header() {
    const auto& vk = std::get<VerifyingKeyOf<C>>(key_.verifying_key);
    const auto& blinding = std::get<BlindingPointsOf<C>>(key_.blinding);
    constexpr uint64_t kG1 = sizeof vk.alpha1, kG2 = sizeof vk.beta2;
    out_.section(kHeader, 4 + sizeof(Fp) + 4 + sizeof(Fr) + 12 + 3 * kG1 + 3 * kG2);
    out_.value(uint32_t{sizeof(Fp)});
    out_.value(Fp::modulus());
    out_.value(uint32_t{sizeof(Fr)});
    out_.value(Fr::modulus());
    out_.value(variables_);
    out_.value(static_cast<uint32_t>(circuit_.publics));
    out_.value(domain_);
    point(vk.alpha1);
    point(blinding.beta1);
    point(vk.beta2);
    point(vk.gamma2);
    point(blinding.delta1);
    point(vk.delta2);
  }

  template <class G>
  void point(const arith::Affine<G>& point) {
    out_.bytes(std::as_bytes(std::span(&point, 1)));
  }

  /// By constraint, A before B: {u32 matrix, u32 constraint, u32 variable, coefficient R^2}.
  void coefficients() {
    std::vector<Fr> scaled = groth16::dictionary_of<Fr>(circuit_);
    const Fr r2 = Fr::from_raw(Fr::Constants::kR2);  // a product with it multiplies by R
    for (Fr& value : scaled) value *= r2;
    out_.section(kCoefficients, 4 + entries_ * kEntryBytes);
    out_.value(entries_);
    const auto entry = [&](uint32_t matrix, uint64_t row, uint64_t variable, const Fr& value) {
      out_.value(matrix);
      out_.value(static_cast<uint32_t>(row));
      out_.value(static_cast<uint32_t>(variable));
      out_.value(value.limb);
    };
    const std::array<const SparseMatrix*, 2> matrices{&circuit_.a, &circuit_.b};
    for (uint64_t row = 0; row < circuit_.constraints(); ++row) {
      for (uint32_t m = 0; m < 2; ++m) {
        const SparseMatrix& matrix = *matrices[m];
        for (uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
          entry(m, row, matrix.columns[i], scaled[matrix.coefficients[i]]);
        }
      }
    }
    const Fr one = Fr::one() * r2;
    for (uint64_t i = 0; i <= circuit_.publics; ++i) entry(0, circuit_.constraints() + i, i, one);
  }

  void points(uint32_t section, QueryId id) {
    constexpr uint64_t kChunk = 4096;
    const PointSource& source = *key_.query(id).points;
    const uint64_t size = point_bytes(circuit_.curve, group_of(id)), count = source.count();
    out_.section(section, count * size);
    if (const std::byte* direct = source.direct()) return out_.bytes({direct, count * size});
    std::vector<std::byte> chunk(std::min(kChunk, count) * size);
    for (uint64_t first = 0; first < count; first += kChunk) {
      const uint64_t some = std::min(kChunk, count - first);
      source.read(first, some, chunk.data());
      out_.bytes(std::span(chunk).first(some * size));
    }
  }

  const ProvingKey& key_;
  const Circuit& circuit_;
  uint32_t variables_, domain_, entries_;
  BinWriter out_;
};

}  // namespace

void write_zkey(const ProvingKey& key, const Circuit& circuit, const ByteSink& sink) {
  require_fit(key, circuit);
  with_curve(circuit.curve, [&]<class C>(std::type_identity<C>) { Writer<C>(key, circuit, sink).write(); });
}

}  // namespace cuzk
