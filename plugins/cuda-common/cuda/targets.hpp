#pragma once
#include <cstdint>
#include <string_view>

namespace cuzk::cuda {

/// Whether a build runs on a card. built_for: words of which "sm_90" is machine code, which runs on that and later
/// cards of the same generation (the tens), and "ptx_120" is for the driver to compile, for that card and all later
/// ones; other words don't count. arch: 10 * major + minor of the card's compute capability.
constexpr bool runs_on(std::string_view built_for, uint32_t arch) {
  while (!built_for.empty()) {
    const size_t end = built_for.find(' ');
    std::string_view word = built_for.substr(0, end);
    built_for.remove_prefix(end == built_for.npos ? built_for.size() : end + 1);
    const bool machine_code = word.starts_with("sm_");
    if (!machine_code && !word.starts_with("ptx_")) continue;
    word.remove_prefix(machine_code ? 3 : 4);
    uint32_t target = 0;
    for (const char c : word) {
      if (c < '0' || c > '9') return false;
      target = target * 10 + static_cast<uint32_t>(c - '0');
    }
    if (arch >= target && (!machine_code || arch / 10 == target / 10)) return true;
  }
  return false;
}

}  // namespace cuzk::cuda
