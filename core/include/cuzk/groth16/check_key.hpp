#pragma once
#include <cuzk/groth16/proving_key.hpp>

namespace cuzk {

class CpuPool;

/// Checks that every point of the key lies in its group of prime order r, which no proof needs that is verified before
/// it leaves, but which says where a key is bad. Precondition: the points are on the curve, as readers see to.
/// Error bad_input names the key, the section and the first bad point; its file, when it was cut meanwhile.
///
/// Points are tested in batches: of each query, 64 sums over random subsets are tested instead of its points. The
/// curve's group is the product of the group of order r and one of order h, the cofactor. If the parts t_i of some
/// points in the latter are not zero, then a sum, where each point is taken by a coin of its own, has part zero with
/// probability at most 1/2: of the two outcomes of the coin of such a point, whatever the others showed, at most one
/// gives zero. So bad points of any number, of any order (the cofactors of BLS12-381 have factors as small as 3) and
/// however chosen are missed with probability at most 2^-64. The coins come from the system's generator.
///
/// Cost: 8 mixed additions a point, instead of products with the curve's parameter x of 64 doublings each: eight coins
/// at a time choose one of 256 buckets, and the eight sums are made from the buckets at the end (M. Bellare, J. Garay,
/// T. Rabin, "Fast batch verification for modular exponentiation and digital signatures", 1998: random subset and
/// bucket tests). On BN254 every point of G1 is in the group, and none is looked at.
void check_subgroups(const ProvingKey&, CpuPool&);

}  // namespace cuzk
