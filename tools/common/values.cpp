#include "values.hpp"

#include "command_line.hpp"

#include <charconv>
#include <map>
#include <sstream>

namespace cuzk::tool {

uint64_t number_value(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < least || value > most) {
    refuse_call("--" + option + ": found '" + text + "', expected a number from " + std::to_string(least) + " to " +
                std::to_string(most));
  }
  return value;
}

uint64_t size_value(const std::string& option, const std::string& text) {
  static const std::map<std::string, uint32_t> kShift{{"", 0},     {"B", 0},    {"KiB", 10},
                                                      {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = kShift.find(std::string(stop, text.data() + text.size()));
  if (error != std::errc() || unit == kShift.end() || value == 0 || value > (UINT64_MAX >> unit->second)) {
    refuse_call("--" + option + ": found '" + text + "', expected a size as in 1073741824, 512MiB or 16GiB");
  }
  return value << unit->second;
}

std::vector<std::string> list_value(const std::string& option, const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text + ",");
  for (std::string item; std::getline(in, item, ',');) {
    if (item.empty()) refuse_call("--" + option + ": found '" + text + "', expected names separated by commas");
    out.push_back(item);
  }
  return out;
}

bool streamed_value(const std::string& option, const std::string& text) {
  if (text != "resident" && text != "streamed") {
    refuse_call("--" + option + ": found '" + text + "', expected resident or streamed");
  }
  return text == "streamed";
}

std::optional<LogLevel> log_level_value(const std::string& option, const std::string& text) {
  static const std::map<std::string, std::optional<LogLevel>> kLevels{{"debug", LogLevel::debug},
                                                                      {"info", LogLevel::info},
                                                                      {"warn", LogLevel::warn},
                                                                      {"error", LogLevel::error},
                                                                      {"off", std::nullopt}};
  const auto level = kLevels.find(text);
  if (level == kLevels.end()) {
    refuse_call("--" + option + ": found '" + text + "', expected debug, info, warn, error or off");
  }
  return level->second;
}

}  // namespace cuzk::tool
