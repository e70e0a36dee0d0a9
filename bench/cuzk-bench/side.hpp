#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::bench {

/// What a device may hold: all it has, bytes, or a number of footprints (Footprint) of the strategy that is to hold it.
struct MemoryWish {
  std::string text = "ample";
  std::optional<uint64_t> bytes = {};
  std::optional<double> footprints = {};
};

/// "ample", "16GiB", "1.3fp". Error usage.
MemoryWish memory_value(const std::string& option, const std::string& text);
/// Nothing for ample.
std::optional<uint64_t> bytes_of(const MemoryWish&, const Strategy&, const KeyShape&, uint32_t threads);

/// One side of a comparison, as it was asked for.
struct SideRequest {
  std::string text;
  StrategyRequest strategy = {};
  MemoryWish memory = {};
};
constexpr const char* kSideForm =
    "PLUGIN[,staging=|ntt=|msm=|lock=|device=|workers=|bases=resident|streamed|memory=ample|SIZE|Nfp|model=FILE...]";
/// "cuda-baseline,lock=none,workers=2,memory=1.3fp". Error usage names the option.
SideRequest parse_side(const std::string& option, const std::string& text);

/// The same, composed for a key.
struct Side {
  std::string text;
  Composition composition;
  std::optional<uint64_t> device_memory = {};
};
Side compose_side(PluginRegistry&, const SideRequest&, const KeyShape&);

}  // namespace cuzk::bench
