#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

enum class Role : uint32_t {
  staging = CUZK_ROLE_STAGING,
  ntt = CUZK_ROLE_NTT,
  msm = CUZK_ROLE_MSM,
  lock = CUZK_ROLE_LOCK
};

constexpr std::string_view name(Role role) {
  switch (role) {
    case Role::staging:
      return "staging";
    case Role::ntt:
      return "ntt";
    case Role::msm:
      return "msm";
    default:
      return "lock";
  }
}

/// What a component says of itself, without being opened.
struct ComponentInfo {
  std::string plugin;  ///< "cpu-reference"
  std::string name;    ///< "pippenger"
  std::string summary;
  Role role{};
  uint32_t space_kinds = 0;  ///< bit k: runs in spaces of kind k (CUZK_SPACE_*)
  uint32_t curves = 0, groups = 0;
  uint32_t max_log2_size = 0;
  uint32_t flags = 0;      ///< CUZK_COMPONENT_*
  uint32_t api_flags = 0;  ///< the role table's own flags: CUZK_STAGING_*, CUZK_MSM_*, CUZK_LOCK_*

  std::string full_name() const { return plugin + "/" + name; }
  bool runs_in(uint32_t space_kind) const { return space_kind < 32 && ((space_kinds >> space_kind) & 1u) != 0; }
};

/// One implementation of one role. The four roles' factories derive from it; the loader makes them.
class Component {
 public:
  virtual ~Component() = default;
  virtual const ComponentInfo& info() const = 0;
};

}  // namespace cuzk
