#include "report.hpp"

#include <string_view>
#include <sys/resource.h>

namespace cuzk::run {

std::vector<std::string> path_names(uint32_t paths) {
  constexpr std::string_view kNames[] = {"direct", "pinned", "ring", "pageable", "resident"};
  std::vector<std::string> names;
  for (uint32_t path = 0; path < 32; ++path) {
    if ((paths >> path & 1U) != 0) names.emplace_back(path < std::size(kNames) ? kNames[path] : "unknown");
  }
  return names;
}

std::string description(const Device& device) {
  if (device.lost()) return "lost";  // asked, it would only say so as an error
  const cuzk_str name = device.info().name;
  return {name.data == nullptr ? "" : name.data, name.size};
}

uint64_t peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;  // in KiB on Linux
}

}  // namespace cuzk::run
