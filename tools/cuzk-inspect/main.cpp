#include "common/command_line.hpp"
#include "common/run_main.hpp"
#include "report.hpp"

#include <boost/program_options.hpp>
#include <iostream>
#include <string>
#include <vector>

#include <cuzk/loader/plugin_registry.hpp>

namespace {

namespace po = boost::program_options;

constexpr const char* kProgram = "cuzk-inspect";
constexpr const char* kUsage =
    "usage: cuzk-inspect [options] list | show NAME | why PATH-or-NAME\n"
    "  list   every candidate: what it brings, or why it was not loaded; starts no device\n"
    "  show   one plugin: facts, components, devices\n"
    "  why    how far one candidate came, and what stopped it";

/// What the words ask for must be one of the three commands with all it needs.
void check_words(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words.front();
  if (command == "list" && words.size() == 1) return;
  if ((command == "show" || command == "why") && words.size() == 2) return;
  std::string found;
  for (const std::string& word : words) found += (found.empty() ? "" : " ") + word;
  cuzk::tool::refuse_call((found.empty() ? "found no command" : "found '" + found + "'") +
                          ", expected list, show NAME or why PATH-or-NAME");
}

int run(int argc, const char* const* argv) {
  po::options_description options("options");
  options.add_options()("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
                        "folder or file searched for plugins first; may be repeated")(
      "json", "machine-readable output")("help", "this text")("version", "print the version");
  const cuzk::tool::CommandLine given = cuzk::tool::read_command_line(argc, argv, options);
  if (given.has("help")) {
    std::cout << kUsage << "\n" << options;
    return 0;
  }
  if (given.has("version")) {
    std::cout << kProgram << " " CUZK_VERSION "\n";
    return 0;
  }
  const std::vector<std::string> words = given.texts("word");
  check_words(words);
  const bool json = given.has("json");

  cuzk::HostServices services;
  cuzk::PluginRegistry registry(services);
  registry.scan(cuzk::tool::plugin_path(given));
  if (words[0] == "list") return cuzk::inspect::list(registry, json, std::cout);
  if (words[0] == "show") return cuzk::inspect::show(registry, words[1], json, std::cout);
  return cuzk::inspect::why(registry, words[1], json, std::cout);
}

}  // namespace

int main(int argc, char** argv) {
  return cuzk::tool::run_main(kProgram, [&] { return run(argc, argv); });
}
