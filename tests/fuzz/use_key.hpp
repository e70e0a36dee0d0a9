#pragma once
#include "fuzz.hpp"

#include <vector>

#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::fuzz {

/// Reads all that a proof would: what a reader took must not lead outside the file.
inline void use_key(const ProvingKey& key) {
  const KeyShape& shape = key.shape;
  require(shape.publics < shape.variables, "more public signals than variables");
  std::vector<cuzk_fr> a(shape.domain_size()), b(a.size());
  key.matrices->evaluate(pool(), ones(shape.variables).span(), a, b);
  std::vector<std::byte> point(point_bytes(shape.curve, Group::g2));
  for (size_t i = 0; i < kQueries; ++i) {
    const KeyQuery& query = key.queries[i];
    const uint64_t scalars = i == static_cast<size_t>(QueryId::h) ? shape.domain_size() : shape.variables;
    require(query.first <= scalars && query.span <= scalars - query.first, "a query beyond its scalars");
    require(query.points->count() <= query.span, "more points than scalars");
    for (uint64_t p = 0; p < query.points->count(); ++p) query.points->read(p, 1, point.data());
  }
  key.require_intact();
}

}  // namespace cuzk::fuzz
