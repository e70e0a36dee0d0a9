#pragma once
#include <cstdint>
#include <string>

namespace cuzk::formats {

/// "1 byte", "2 bytes": a figure of a message.
inline std::string counted(uint64_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace cuzk::formats
