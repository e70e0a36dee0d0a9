#pragma once
#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cuzk::tool {

struct CommandLine {
  boost::program_options::variables_map given;
  std::vector<std::pair<std::string, std::string>> in_order;  ///< options that have a value, as they stood

  bool has(const std::string& option) const { return given.count(option) != 0; }
  /// The value of an option that takes one text; empty where it was not given.
  std::string text(const std::string& option) const;
  /// All values of an option that may be repeated, or of "word".
  std::vector<std::string> texts(const std::string& option) const;
};

/// Reads a command line: options in full, never abbreviated, and words, which are those of the option "word".
/// Error usage: what is unknown, lacks its value or has an empty one.
CommandLine read_command_line(int argc, const char* const* argv,
                              const boost::program_options::options_description& options);

[[noreturn]] void refuse_call(const std::string& what);

/// All values of --plugin-path, a vector of strings, as PluginRegistry::scan() takes them: separated by colons.
std::optional<std::string> plugin_path(const CommandLine&);

}  // namespace cuzk::tool
