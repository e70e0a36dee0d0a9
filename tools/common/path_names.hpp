#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cuzk::tool {

/// The names in a set of bits 1 << CUZK_PATH_*.
std::vector<std::string> path_names(uint32_t paths);

}  // namespace cuzk::tool
