#include "multiples.cuh"

namespace cuzk::cuda {

const MultiplesKernels kBls12381G1Multiples = MultiplesLaunches<Fe<Bls12381Fp>, Bls12381Fr>::table();

}  // namespace cuzk::cuda
