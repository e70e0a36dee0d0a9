#pragma once
#include "fakes.hpp"

#include <memory>

namespace cuzk::testing {

/// Error internal, which fails the test.
void require(bool condition, const char* what);

/// The definition of the transforms and the quotient, in n^2 steps. Scribbles over all the workspace it is given; keeps
/// the powers of omega in its resident memory.
std::shared_ptr<const NttComponent> make_fake_ntt(std::shared_ptr<Faults>, ComponentInfo);

}  // namespace cuzk::testing
