#pragma once
#include "formats/bin_file.hpp"

#include <cuzk/curve.hpp>

namespace cuzk::formats {

/// Reads {u32 n8, prime of n8 bytes} of a section and says whose prime it is; any other is Error bad_input.
Curve read_scalar_prime(SectionReader& reader);
Curve read_base_prime(SectionReader& reader);

}  // namespace cuzk::formats
