#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cuzk::cuda {

/// What this build has code for, "cuda 13.0; sm_90".
inline constexpr std::string_view kBuiltFor = "cuda " CUZK_CUDA_VERSION "; " CUZK_CUDA_TARGETS;

/// One card as the driver describes it. Asking makes no context.
struct Card {
  std::string name;
  uint32_t arch, units;  ///< 10 * major + minor; multiprocessors
  uint64_t memory;       ///< bytes
};
Card card(uint32_t index);

/// "cuda:0 (NVIDIA H200) is sm_90; the plugin is built for cuda 13.0; sm_90"
std::string mismatch(uint32_t index, const Card& card);

/// How many cards the driver has, at least one of which the build runs on; else sdk::Error that says why not: no
/// driver, one that is too old, no card, only cards without kernels here.
uint32_t count_cards();

}  // namespace cuzk::cuda
