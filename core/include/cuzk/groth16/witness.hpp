#pragma once
#include <string>

#include <cuzk/curve.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk {

/// One full assignment: canonical values below r, value 0 is one. Order: one, outputs, public inputs, private.
struct Witness {
  std::string name;  ///< the file, for messages
  Curve curve{};
  FrVector values;
};

/// Error bad_input, with both names, unless the witness is on the curve and has as many values as `of` has variables.
void require_fit(const Witness&, Curve, uint64_t variables, const std::string& of);

}  // namespace cuzk
