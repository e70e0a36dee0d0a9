#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/loader/verdict.hpp>

namespace cuzk {

/// Takes the candidate at verdict.path through the stages file .. table. @return its table, or null, and then the
/// verdict says where it stopped and why. Never throws over what the file is.
const cuzk_plugin* open_plugin(Verdict& verdict);

}  // namespace cuzk
