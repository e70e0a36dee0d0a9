#pragma once
/// A bellman key file: alpha1, beta1, beta2, gamma2, delta1, delta2, then six vectors {u32 big-endian count, points}:
/// ic, h, l, a, b_g1, b_g2. Points are uncompressed, see zcash_points.hpp.

#include "formats/domain.hpp"
#include "formats/zcash_points.hpp"

#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::formats::params {

using Curve12 = arith::Bls12381;
using G1 = Curve12::G1;
using G2 = Curve12::G2;

inline constexpr uint64_t kLeadBytes = 3 * zcash::kPointBytes<G1> + 3 * zcash::kPointBytes<G2>;
inline constexpr uint64_t kCountBytes = 4;

/// A query's vector in the file, in this order behind ic.
struct QueryVector {
  QueryId id;
  const char* name;
};
inline constexpr QueryVector kQueryVectors[kQueries] = {{QueryId::h, "vector h"},
                                                        {QueryId::l, "vector l"},
                                                        {QueryId::a, "vector a"},
                                                        {QueryId::b1, "vector b_g1"},
                                                        {QueryId::b2, "vector b_g2"}};

}  // namespace cuzk::formats::params
