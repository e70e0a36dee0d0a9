#include "formats/buffered_sink.hpp"
#include "formats/params_layout.hpp"

#include <algorithm>
#include <bit>

#include <cuzk/error.hpp>
#include <cuzk/formats/params.hpp>

namespace cuzk {
namespace {

using namespace formats;
using namespace formats::params;

/// Whether the query holds what bellman's vector does.
bool follows_bellman(const ProvingKey& key, QueryId id) {
  const KeyShape& shape = key.shape;
  const KeyQuery& query = key.query(id);
  const uint64_t inputs = shape.publics + 1;
  switch (id) {
    case QueryId::h:
      return query.first == 0 && query.span == shape.domain_size() - 1 && query.select.empty();
    case QueryId::l:
      return query.first == inputs && query.span == shape.variables - inputs && query.select.empty();
    case QueryId::a:
      for (uint64_t i = 0; i < inputs && !query.select.empty(); ++i) {
        if ((query.select[i / 64] >> (i % 64) & 1) == 0) return false;
      }
      return query.first == 0 && query.span == shape.variables;
    default:
      return query.first == 0 && query.span == shape.variables && query.select == key.query(QueryId::b1).select;
  }
}

void check(const ProvingKey& key) {
  const auto refuse = [&](const std::string& message) { throw Error(ErrorCode::usage, key.name + ": " + message); };
  if (key.shape.curve != Curve::bls12_381) {
    refuse("found a key on " + std::string(name(key.shape.curve)) + ", expected bls12-381 for a bellman key");
  }
  if (key.shape.domain.h_basis != CUZK_H_MONOMIAL) refuse("found h not over powers of tau, as a bellman key has it");
  const cuzk_domain domain = bellman_domain<Curve12>(key.shape.domain.log2_size);
  if (!std::equal(std::begin(domain.omega.limb), std::end(domain.omega.limb), key.shape.domain.omega.limb)) {
    refuse("found a domain of another root of unity, expected that from 7 for a bellman key");
  }
  for (const auto& [id, name] : kQueryVectors) {
    if (follows_bellman(key, id)) continue;
    refuse("query " + std::string(cuzk::name(id)) + ": found another range of variables than a bellman key has");
  }
  if (key.shape.variables > UINT32_MAX || key.shape.domain_size() - 1 > UINT32_MAX) {
    refuse("found " + std::to_string(key.shape.variables) + " variables and a domain of " +
           std::to_string(key.shape.domain_size()) + ", expected 32-bit counts of points");
  }
}

class ParamsWriter {
 public:
  ParamsWriter(const ProvingKey& key, const ByteSink& sink) : key_(key), out_(sink) {}

  void write() {
    const auto& vk = std::get<VerifyingKeyOf<Curve12>>(key_.verifying_key);
    const auto& blinding = std::get<BlindingPointsOf<Curve12>>(key_.blinding);
    put(vk.alpha1, "alpha1");
    put(blinding.beta1, "beta1");
    put(vk.beta2, "beta2");
    put(vk.gamma2, "gamma2");
    put(blinding.delta1, "delta1");
    put(vk.delta2, "delta2");
    put_count(vk.ic.size());
    for (size_t i = 0; i < vk.ic.size(); ++i) put(vk.ic[i], "vector ic", i);
    for (const auto& [id, name] : kQueryVectors) {
      const PointSource& points = *key_.query(id).points;
      group_of(id) == Group::g1 ? put_points<G1>(points, name) : put_points<G2>(points, name);
    }
    out_.flush();
  }

 private:
  void put_count(uint64_t count) { out_.put(__builtin_bswap32(static_cast<uint32_t>(count))); }

  template <class G>
  void put_points(const PointSource& points, const char* name) {
    constexpr uint64_t kPiece = 4096;
    std::vector<arith::Affine<G>> piece(std::min(kPiece, points.count()));
    put_count(points.count());
    for (uint64_t first = 0; first < points.count(); first += kPiece) {
      const uint64_t count = std::min(kPiece, points.count() - first);
      points.read(first, count, reinterpret_cast<std::byte*>(piece.data()));
      for (uint64_t i = 0; i < count; ++i) put(piece[i], name, first + i);
    }
  }

  /// index: of a vector's point.
  template <class G>
  void put(const arith::Affine<G>& point, const char* name, std::optional<uint64_t> index = {}) {
    if (point.is_infinity()) {
      throw Error(ErrorCode::usage, key_.name + ": " + name +
                                        (index ? ", point " + std::to_string(*index) : std::string()) +
                                        " is the point at infinity, which a bellman key cannot hold");
    }
    zcash::encode(point, out_.grow(zcash::kPointBytes<G>));
  }

  const ProvingKey& key_;
  BufferedSink out_;
};

}  // namespace

void write_params(const ProvingKey& key, const ByteSink& sink) {
  check(key);
  ParamsWriter(key, sink).write();
}

}  // namespace cuzk
