#pragma once
#include "fakes.hpp"

#include <memory>

namespace cuzk::testing {

/// The definition of the sums, point by point. Insists on the order of calls and on the abilities in its api_flags;
/// with `resident` it wants bases loaded, twice their size (tables), or once, or streamed, as the limit allows. Its job
/// workspace grows with the points of a query up to 4096 bytes; it gets by with 512. What it plans of its own memory it
/// holds from start to drop. plan.choice[0] of a job is the device's units. With `multiples` it makes them one by one,
/// with a workspace of 16 bytes for each and at least 512.
std::shared_ptr<const MsmComponent> make_fake_msm(std::shared_ptr<Faults>, std::shared_ptr<OwnMemory>, ComponentInfo,
                                                  const FakeOptions&);

}  // namespace cuzk::testing
