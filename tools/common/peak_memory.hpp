#pragma once
#include <cstdint>

namespace cuzk::tool {

/// Most memory that the process has held so far, mapped files included, in bytes.
uint64_t peak_memory();

}  // namespace cuzk::tool
