#pragma once
#include <string>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// Checks what a plugin answered: the ABI, names, and that no slot is null that core cannot do without.
/// @return what is skipped (components of roles this build does not know), for people
/// Error unusable: plugin, component and slot, what was found and what was expected.
std::vector<std::string> check_plugin(const cuzk_plugin& plugin);

/// False for a role that this build does not know.
bool is_known_role(uint32_t role);

}  // namespace cuzk
