#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::tool {

// Values of options. Error usage names the option, what was found and what was expected.

uint64_t number_value(const std::string& option, const std::string& text, uint64_t least, uint64_t most);
/// Bytes: "1073741824", "512MiB".
uint64_t size_value(const std::string& option, const std::string& text);
/// "a,b": at least one, none empty.
std::vector<std::string> list_value(const std::string& option, const std::string& text);
/// "resident" or "streamed": whether bases stay on no device.
bool streamed_value(const std::string& option, const std::string& text);
/// Nothing for "off".
std::optional<LogLevel> log_level_value(const std::string& option, const std::string& text);

}  // namespace cuzk::tool
