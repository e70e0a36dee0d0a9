#include "path_names.hpp"

#include <iterator>
#include <string_view>

namespace cuzk::tool {

std::vector<std::string> path_names(uint32_t paths) {
  constexpr std::string_view kNames[] = {"direct", "pinned", "ring", "pageable", "resident"};
  std::vector<std::string> names;
  for (uint32_t path = 0; path < 32; ++path) {
    if ((paths >> path & 1U) != 0) names.emplace_back(path < std::size(kNames) ? kNames[path] : "unknown");
  }
  return names;
}

}  // namespace cuzk::tool
