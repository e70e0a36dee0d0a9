#include "multiples.cuh"

namespace cuzk::cuda {

const MultiplesKernels kBn254G1Multiples = MultiplesLaunches<Fe<Bn254Fp>, Bn254Fr>::table();

}  // namespace cuzk::cuda
