#include "multiples.cuh"

namespace cuzk::cuda {

const MultiplesKernels kBn254G2Multiples = MultiplesLaunches<Fe2<Fe<Bn254Fp>>, Bn254Fr>::table();

}  // namespace cuzk::cuda
