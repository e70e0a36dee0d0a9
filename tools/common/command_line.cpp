#include "common/command_line.hpp"

#include <algorithm>
#include <boost/any.hpp>
#include <vector>

#include <cuzk/error.hpp>

namespace cuzk::tool {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

bool has_empty(const boost::any& value) {
  if (const auto* word = boost::any_cast<std::string>(&value)) return word->empty();
  const auto* words = boost::any_cast<Words>(&value);
  return words != nullptr && std::any_of(words->begin(), words->end(), [](const auto& word) { return word.empty(); });
}

}  // namespace

void refuse_call(const std::string& what) { throw Error(ErrorCode::usage, what); }

std::string CommandLine::text(const std::string& option) const {
  return has(option) ? given[option].as<std::string>() : std::string();
}

std::vector<std::string> CommandLine::texts(const std::string& option) const {
  return has(option) ? given[option].as<Words>() : Words();
}

CommandLine read_command_line(int argc, const char* const* argv, const po::options_description& options) {
  po::options_description all;
  all.add(options).add_options()("word", po::value<Words>());
  po::positional_options_description words;
  words.add("word", -1);
  using Style = po::command_line_style::style_t;
  const int style = Style::unix_style & ~Style::allow_guessing;
  CommandLine line;
  try {
    const po::parsed_options parsed =
        po::command_line_parser(argc, argv).options(all).positional(words).style(style).run();
    for (const po::option& option : parsed.options) {
      if (!option.value.empty()) line.in_order.emplace_back(option.string_key, option.value.front());
    }
    po::store(parsed, line.given);
  } catch (const po::error& error) {
    refuse_call(error.what());
  }
  for (const auto& [option, value] : line.given) {
    const bool takes_value = all.find(option, false).semantic()->max_tokens() != 0;
    if (!takes_value || !has_empty(value.value())) continue;
    refuse_call((option == "word" ? "an argument" : "--" + option) + " is empty, expected a value");
  }
  return line;
}

std::optional<std::string> plugin_path(const CommandLine& line) {
  if (!line.has("plugin-path")) return std::nullopt;
  std::string path;
  for (const std::string& one : line.texts("plugin-path")) path += (path.empty() ? "" : ":") + one;
  return path;
}

}  // namespace cuzk::tool
