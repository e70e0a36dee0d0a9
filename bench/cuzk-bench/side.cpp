#include "side.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <cuzk/groth16/layout.hpp>

namespace cuzk::bench {

MemoryWish memory_value(const std::string& option, const std::string& text) {
  MemoryWish wish{text};
  if (text == "ample") return wish;
  if (!text.ends_with("fp")) {
    wish.bytes = tool::size_value(option, text);
    return wish;
  }
  double value = 0;
  const char* const end = text.data() + text.size() - 2;
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !(value > 0 && value <= 1000)) {
    tool::refuse_call("--" + option + ": found '" + text + "', expected a number of footprints as in 1.3fp");
  }
  wish.footprints = value;
  return wish;
}

std::optional<uint64_t> bytes_of(const MemoryWish& wish, const Strategy& strategy, const KeyShape& shape,
                                 uint32_t threads) {
  if (!wish.footprints) return wish.bytes;
  const auto [key, footprint] = footprint_of(strategy, *strategy.devices.front(), shape, threads);
  return key + static_cast<uint64_t>(std::llround(*wish.footprints * static_cast<double>(footprint)));
}

SideRequest parse_side(const std::string& option, const std::string& text) {
  SideRequest side{text};
  StrategyRequest& request = side.strategy;
  const std::map<std::string_view, std::string*> names{
      {"staging", &request.staging}, {"ntt", &request.ntt}, {"msm", &request.msm}, {"lock", &request.lock}};
  std::string_view rest = text;
  std::set<std::string_view> given;
  for (bool first = true, more = true; more; first = false) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    more = comma != rest.npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
    const size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string value(equals == part.npos ? "" : part.substr(equals + 1)),
        where = option + ": " + std::string(key);
    if (!first && key != "device" && !given.insert(key).second) {
      tool::refuse_call("--" + option + ": found '" + std::string(part) + "', expected each setting once");
    }
    if (first) {
      if (equals != part.npos || part.empty()) {
        tool::refuse_call("--" + option + ": found '" + std::string(part) + "', expected a plugin first: " + kSideForm);
      }
      request.plugin = part;
    } else if (value.empty()) {
      tool::refuse_call("--" + option + ": found '" + std::string(part) + "', expected " + kSideForm);
    } else if (const auto found = names.find(key); found != names.end()) {
      *found->second = value;
    } else if (key == "device") {
      request.devices.push_back(value);
    } else if (key == "workers") {
      request.workers = static_cast<uint32_t>(tool::number_value(where, value, 1, 256));
    } else if (key == "bases") {
      request.stream_bases = tool::streamed_value(where, value);
    } else if (key == "memory") {
      side.memory = memory_value(where, value);
    } else if (key == "model") {
      request.device_model = read_device_model(value);
    } else {
      tool::refuse_call("--" + option + ": found '" + std::string(part) + "', expected " + kSideForm);
    }
  }
  return side;
}

Side compose_side(PluginRegistry& registry, const SideRequest& side, const KeyShape& shape) {
  StrategyRequest request = side.strategy;
  request.curve = shape.curve;
  request.log2_size = shape.domain.log2_size;
  Composition composition = compose(registry, request);
  const auto memory = bytes_of(side.memory, composition.strategy, shape, registry.services().cpu().threads());
  return {side.text, std::move(composition), memory};
}

}  // namespace cuzk::bench
