#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/table.hpp>

namespace cuzk {

using sdk::read_table;

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
