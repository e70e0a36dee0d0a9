#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/curve.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk {

class CpuPool;

/// The five multi-scalar multiplications of a proof. h meets the quotient, the others the witness.
enum class QueryId : uint32_t { h = 0, l = 1, a = 2, b1 = 3, b2 = 4 };
inline constexpr size_t kQueries = 5;
constexpr std::string_view name(QueryId id) {
  constexpr std::string_view names[kQueries] = {"h", "l", "a", "b1", "b2"};
  return names[static_cast<size_t>(id)];
}
constexpr Group group_of(QueryId id) { return id == QueryId::b2 ? Group::g2 : Group::g1; }

/// Points on the host, however the file stores them. Immutable; read() may be called from any thread, concurrently.
class PointSource {
 public:
  virtual ~PointSource() = default;
  virtual uint64_t count() const = 0;
  /// The points as they lie in (mapped) memory when that is already the ABI's layout (affine, Montgomery, infinity all
  /// zero), at any alignment; else null.
  virtual const std::byte* direct() const = 0;
  /// Decodes points [first, first + count) into the ABI's layout at dst. Error bad_input names file, section and index.
  virtual void read(uint64_t first, uint64_t count, std::byte* dst) const = 0;
};

/// Base i meets the i-th selected scalar of [first, first + span).
struct KeyQuery {
  std::unique_ptr<const PointSource> points;
  uint64_t first = 0, span = 0;
  std::vector<uint64_t> select;  ///< bit per scalar of the range, LSB first; empty: all
  std::string section = {};      ///< where the file has the points, for messages; empty: nowhere of its own
};

/// The sparse matrices A and B of the circuit. Immutable, any thread.
class ConstraintMatrices {
 public:
  virtual ~ConstraintMatrices() = default;
  /// a <- A w, b <- B w, Montgomery, for all rows of the domain (rows without entries are zero).
  /// witness: canonical, one value a variable. a and b: domain size.
  virtual void evaluate(CpuPool&, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a,
                        std::span<cuzk_fr> b) const = 0;
};

/// What memory planning needs of a key: sizes only.
struct KeyShape {
  Curve curve{};
  uint64_t variables = 0;  ///< witness values, the leading one included
  uint64_t publics = 0;    ///< public signals, the leading one not included
  cuzk_domain domain{};
  struct Query {
    uint64_t count = 0, first = 0, span = 0;
    bool selects = false;
  };
  std::array<Query, kQueries> queries{};

  uint64_t domain_size() const { return uint64_t{1} << domain.log2_size; }
};

/// beta and delta in G1, which only the prover needs.
template <class C>
struct BlindingPointsOf {
  arith::Affine<typename C::G1> beta1, delta1;
};
using BlindingPoints = std::variant<BlindingPointsOf<arith::Bn254>, BlindingPointsOf<arith::Bls12381>>;

/// A proving key of any format. Immutable after construction: any number of proofs and threads share it.
struct ProvingKey {
  std::string name;       ///< the file, for messages
  bool insecure = false;  ///< whoever made it knows the secrets, as with every key of an in-process setup
  KeyShape shape;
  VerifyingKey verifying_key;
  BlindingPoints blinding;
  std::array<KeyQuery, kQueries> queries;
  std::unique_ptr<const ConstraintMatrices> matrices;
  /// What points and matrices are read from as long as the key lives; none where they are in memory.
  std::vector<std::shared_ptr<const MappedFile>> files;

  /// Error bad_input, by name, when a file was cut since it was opened: what was computed from it does not count.
  void require_intact() const {
    for (const auto& file : files) file->require_intact();
  }
  const KeyQuery& query(QueryId id) const { return queries[static_cast<size_t>(id)]; }
};

}  // namespace cuzk
