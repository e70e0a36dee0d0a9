#include "points.cuh"

namespace cuzk::cuda {

const PointKernels kBn254G2 = PointLaunches<Fe2<Fe<Bn254Fp>>>::table();

}  // namespace cuzk::cuda
