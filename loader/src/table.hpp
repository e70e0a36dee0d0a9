#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// A table of the plugin as this build knows it: the smaller of both sizes counts, what lies beyond is zero ("absent").
template <class Table>
Table read_table(const void* table) {
  uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  Table known{};
  std::memcpy(&known, table, std::min<size_t>(size, sizeof known));
  return known;
}

inline std::string text(cuzk_str s) { return s.data == nullptr ? std::string() : std::string(s.data, s.size); }

/// Text of others in one line: control characters become spaces.
inline std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace cuzk
