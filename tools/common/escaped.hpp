#pragma once
#include <string>
#include <string_view>

namespace cuzk::tool {

/// Text of others, as file names are, for one line of a terminal: control characters, those of two UTF-8 bytes too, as
/// "\n", "\t" or "\x1b".
inline std::string escaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  const auto add = [&](unsigned char byte) { out.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]}); };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      add(byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      add(byte);
      add(next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace cuzk::tool
