#pragma once
/// What an author says of a component.

#include <cstdint>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/host.hpp>
#include <cuzk/sdk/table.hpp>

namespace cuzk::sdk {

/// bits(CUZK_SPACE_HOST, CUZK_SPACE_MODEL): the set with these bits.
template <class... Bit>
constexpr uint32_t bits(Bit... bit) {
  return ((1u << static_cast<uint32_t>(bit)) | ... | 0u);
}
constexpr uint32_t kBothCurves = bits(CUZK_BN254, CUZK_BLS12_381);
constexpr uint32_t kBothGroups = bits(CUZK_G1, CUZK_G2);

/// The facts of one component. All are constants: nothing of it runs to answer them.
struct ComponentFacts {
  std::string_view name = {};     ///< [a-z0-9-]+, unique within the plugin and role
  std::string_view summary = {};  ///< one line for people
  uint32_t space_kinds = 0;       ///< bits(CUZK_SPACE_...): where its operands may live
  uint32_t curves = 0;            ///< ntt, msm
  uint32_t groups = 0;            ///< msm
  uint32_t max_log2_size = 0;     ///< ntt: largest domain; msm: most bases of a query; 0: no limit
  uint32_t flags = 0;             ///< CUZK_COMPONENT_*
};

/// One line without control characters; names are [a-z0-9-]+.
constexpr bool is_name(std::string_view text) {
  for (const char c : text) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '-') return false;
  }
  return !text.empty();
}

namespace detail {
/// What the host hands to an entry, complete: an older host's lacks members at the end.
inline cuzk_call read(const cuzk_call* call) { return read_table<cuzk_call>(call); }
inline cuzk_device_info read(const cuzk_device_info* device) { return read_table<cuzk_device_info>(device); }
inline cuzk_lock_view read(const cuzk_lock_view* view) { return read_table<cuzk_lock_view>(view); }

/// Evaluated by the compiler: a throw is a compile error that shows its text.
consteval cuzk_component component(uint32_t role, const ComponentFacts& facts, const void* api) {
  if (!is_name(facts.name)) throw "a component's name is [a-z0-9-]+";
  if (facts.space_kinds == 0) throw "a component says in which spaces it runs: space_kinds";
  return {.struct_size = sizeof(cuzk_component),
          .role = role,
          .name = str(facts.name),
          .summary = str(facts.summary),
          .space_kinds = facts.space_kinds,
          .curves = facts.curves,
          .groups = facts.groups,
          .max_log2_size = facts.max_log2_size,
          .flags = facts.flags,
          .api = api};
}
/// T::kFlags, or 0 for a class without.
template <class T>
consteval uint32_t flags_of() {
  if constexpr (requires { T::kFlags; }) {
    return T::kFlags;
  } else {
    return 0;
  }
}
}  // namespace detail

}  // namespace cuzk::sdk
