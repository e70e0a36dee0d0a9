#include "points.cuh"

namespace cuzk::cuda {

const PointKernels kBls12381G1 = PointLaunches<Fe<Bls12381Fp>>::table();

}  // namespace cuzk::cuda
