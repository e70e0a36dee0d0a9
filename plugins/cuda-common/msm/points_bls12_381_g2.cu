#include "points.cuh"

namespace cuzk::cuda {

const PointKernels kBls12381G2 = PointLaunches<Fe2<Fe<Bls12381Fp>>>::table();

}  // namespace cuzk::cuda
