#include "peak_memory.hpp"

#include <sys/resource.h>

namespace cuzk::tool {

uint64_t peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;  // in KiB on Linux
}

}  // namespace cuzk::tool
