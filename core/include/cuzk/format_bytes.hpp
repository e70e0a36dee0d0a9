#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace cuzk {

/// Bytes for people, in binary units: "0 B", "512 B", "1.5 KiB", "12.0 GiB".
inline std::string format_bytes(uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1023.95 && unit < 5; ++unit) value /= 1024;  // what would print as 1024.0
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

/// The same with the exact figure beside a rounded one: "512 B", "1.5 KiB (1536 bytes)".
inline std::string format_exact_bytes(uint64_t bytes) {
  return format_bytes(bytes) + (bytes < 1024 ? "" : " (" + std::to_string(bytes) + " bytes)");
}

}  // namespace cuzk
