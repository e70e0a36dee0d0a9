#include "multiples.cuh"

namespace cuzk::cuda {

const MultiplesKernels kBls12381G2Multiples = MultiplesLaunches<Fe2<Fe<Bls12381Fp>>, Bls12381Fr>::table();

}  // namespace cuzk::cuda
