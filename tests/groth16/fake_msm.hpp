#pragma once
#include "fakes.hpp"

#include <memory>

namespace cuzk::testing {

/// The definition of the sums, point by point. Insists on the order of calls and on the abilities in its api_flags;
/// with `resident` it wants bases loaded, twice their size (tables), or once, or streamed, as the limit allows. Its job
/// workspace grows with the points of a query up to 4096 bytes; it gets by with 512.
std::shared_ptr<const MsmComponent> make_fake_msm(std::shared_ptr<Faults>, ComponentInfo, bool resident);

}  // namespace cuzk::testing
