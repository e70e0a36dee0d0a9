#include "points.cuh"

namespace cuzk::cuda {

const PointKernels kBn254G1 = PointLaunches<Fe<Bn254Fp>>::table();

}  // namespace cuzk::cuda
