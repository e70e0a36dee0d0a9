#pragma once
#include <ostream>
#include <string>

#include <cuzk/loader/plugin_registry.hpp>

namespace cuzk::inspect {

/// What cuzk-inspect prints, for people or as one JSON value. @return the exit code: 0, or 4 for what is not usable.
int list(const PluginRegistry&, bool json, std::ostream&);
/// Error unusable: no such plugin, and why.
int show(const PluginRegistry&, const std::string& plugin, bool json, std::ostream&);
/// candidate: a path (with a slash, or ending in .so), which is tried even outside the search path, or a plugin's name.
int why(PluginRegistry&, const std::string& candidate, bool json, std::ostream&);

}  // namespace cuzk::inspect
