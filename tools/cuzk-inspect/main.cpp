#include "report.hpp"

#include <boost/program_options.hpp>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/loader/plugin_registry.hpp>

namespace {

namespace options = boost::program_options;

constexpr const char* kUsage =
    "usage: cuzk-inspect [options] list | show NAME | why PATH-or-NAME\n"
    "  list   every candidate: what it brings, or why it was not loaded; starts no device\n"
    "  show   one plugin: facts, components, devices\n"
    "  why    how far one candidate came, and what stopped it";

int run(int argc, const char* const* argv) {
  options::options_description visible("options");
  auto add = visible.add_options();
  add("plugin-path", options::value<std::string>(), "folders and files searched first, separated by colons");
  add("json", "machine-readable output");
  add("help", "this text");
  options::options_description all;
  all.add(visible).add_options()("command", options::value<std::vector<std::string>>());
  options::positional_options_description positions;
  positions.add("command", -1);
  options::variables_map given;
  options::store(options::command_line_parser(argc, argv).options(all).positional(positions).run(), given);
  if (given.count("help") != 0) {
    std::cout << kUsage << "\n" << visible;
    return 0;
  }
  const auto words =
      given.count("command") != 0 ? given["command"].as<std::vector<std::string>>() : std::vector<std::string>();
  const std::string command = words.empty() ? "" : words.front();
  if (words.size() != (command == "list" ? 1u : 2u) || (command != "list" && command != "show" && command != "why")) {
    throw cuzk::Error(cuzk::ErrorCode::usage, kUsage);
  }
  std::optional<std::string> plugin_path;
  if (given.count("plugin-path") != 0) plugin_path = given["plugin-path"].as<std::string>();
  const bool json = given.count("json") != 0;

  cuzk::HostServices services;
  cuzk::PluginRegistry registry(services);
  registry.scan(plugin_path);
  if (command == "list") return cuzk::inspect::list(registry, json, std::cout);
  if (command == "show") return cuzk::inspect::show(registry, words[1], json, std::cout);
  return cuzk::inspect::why(registry, words[1], json, std::cout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cuzk::Error& error) {
    std::cerr << (error.code() == cuzk::ErrorCode::usage ? "" : "cuzk-inspect: ") << error.what() << "\n";
    return cuzk::exit_code(error.code());
  } catch (const options::error& error) {
    std::cerr << "cuzk-inspect: " << error.what() << "\n";
    return cuzk::exit_code(cuzk::ErrorCode::usage);
  } catch (const std::exception& error) {
    std::cerr << "cuzk-inspect: " << error.what() << "\n";
    return 1;
  }
}
