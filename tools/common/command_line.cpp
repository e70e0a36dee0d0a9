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

void refuse_call(const std::string& program, const std::string& what) {
  throw Error(ErrorCode::usage, what + "; see " + program + " --help");
}

po::variables_map read_command_line(const std::string& program, int argc, const char* const* argv,
                                    const po::options_description& options) {
  po::options_description all;
  all.add(options).add_options()("word", po::value<Words>());
  po::positional_options_description words;
  words.add("word", -1);
  using Style = po::command_line_style::style_t;
  const int style = Style::unix_style & ~Style::allow_guessing;
  po::variables_map given;
  try {
    po::store(po::command_line_parser(argc, argv).options(all).positional(words).style(style).run(), given);
  } catch (const po::error& error) {
    refuse_call(program, error.what());
  }
  for (const auto& [option, value] : given) {
    const bool takes_value = all.find(option, false).semantic()->max_tokens() != 0;
    if (!takes_value || !has_empty(value.value())) continue;
    refuse_call(program, (option == "word" ? "an argument" : "--" + option) + " is empty, expected a value");
  }
  return given;
}

std::optional<std::string> plugin_path(const po::variables_map& given) {
  if (given.count("plugin-path") == 0) return std::nullopt;
  std::string path;
  for (const std::string& one : given["plugin-path"].as<Words>()) path += (path.empty() ? "" : ":") + one;
  return path;
}

}  // namespace cuzk::tool
