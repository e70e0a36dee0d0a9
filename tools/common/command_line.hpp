#pragma once
#include <boost/program_options.hpp>
#include <optional>
#include <string>

namespace cuzk::tool {

/// Reads a command line: options in full, never abbreviated, and words, which are given["word"], a vector of strings.
/// Error usage, one line that names the program's --help: what is unknown, lacks its value or has an empty one.
boost::program_options::variables_map read_command_line(const std::string& program, int argc, const char* const* argv,
                                                        const boost::program_options::options_description& options);

[[noreturn]] void refuse_call(const std::string& program, const std::string& what);

/// All values of --plugin-path, a vector of strings, as PluginRegistry::scan() takes them: separated by colons.
std::optional<std::string> plugin_path(const boost::program_options::variables_map& given);

}  // namespace cuzk::tool
