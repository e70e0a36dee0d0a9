#include "host_table.hpp"
#include "open_plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/loader/plugin_registry.hpp>

namespace cuzk {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "cuzk-plugin-";

bool is_plugin_file(const fs::path& path) {
  return path.filename().string().starts_with(kPrefix) && path.extension() == ".so";
}

/// The installed plugins, as seen from this executable: bin/../lib/cuzk/plugins. The build tree looks the same.
std::string installed_folder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string() : (executable.parent_path().parent_path() / "lib/cuzk/plugins").string();
}

/// Absolute and without "." and "..", but symbolic links stay as the user wrote them.
fs::path rooted(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

}  // namespace

std::string to_line(const Verdict& verdict) {
  const std::string path = verdict.path.string() + ": ";
  if (verdict.ok()) return path + "ok: " + verdict.plugin;
  return path + std::string(name(verdict.stage)) + ": " + verdict.reason;
}

PluginRegistry::PluginRegistry(HostServices& services) : services_(services) { serve(services); }

PluginRegistry::~PluginRegistry() {
  for (const auto& plugin : opened_ | std::views::reverse) plugin->shutdown();
  stop_serving();
}

void PluginRegistry::scan(const std::optional<std::string>& plugin_path) {
  if (plugin_path) scan_place(*plugin_path);
  ++place_;
  if (const char* const environment = std::getenv("CUZK_PLUGIN_PATH")) scan_place(environment);
  ++place_;
  const std::string installed = installed_folder();
  if (fs::is_directory(installed)) scan_place(installed);
  ++place_;  // what is loaded by its path afterwards comes last
}

void PluginRegistry::scan_place(const std::string& folders) {
  size_t begin = 0;
  while (begin <= folders.size()) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string entry = folders.substr(begin, end - begin);
    begin = end + 1;
    if (entry.empty()) continue;
    const fs::path folder = rooted(entry);
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
      load(folder);
      verdicts_.back().asked = true;
      continue;
    }
    std::vector<fs::path> found;
    fs::directory_iterator files(folder, error);
    for (; !error && files != fs::directory_iterator(); files.increment(error)) {
      if (is_plugin_file(files->path())) found.push_back(files->path());
    }
    if (error) {
      Verdict verdict;
      verdict.path = folder;
      verdict.asked = true;
      verdict.stage = LoadStage::search;
      verdict.reason = error.message() + ", expected a folder of plugins";
      verdicts_.push_back(std::move(verdict));
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& path : found) load(path);
  }
}

Verdict PluginRegistry::load(const fs::path& path) {
  Verdict verdict;
  verdict.path = rooted(path);
  examine(verdict);
  verdicts_.push_back(verdict);
  return verdict;
}

void PluginRegistry::examine(Verdict& verdict) {
  struct stat file {};
  if (::stat(verdict.path.c_str(), &file) == 0) {
    for (const File& known : files_) {
      if (known.device != file.st_dev || known.inode != file.st_ino) continue;
      verdict.stage = LoadStage::name;
      verdict.reason = "already loaded" + (known.path == verdict.path ? "" : " as " + known.path.string());
      return;
    }
  }
  const cuzk_plugin* const table = open_plugin(verdict);
  if (table == nullptr) return;
  files_.push_back({file.st_dev, file.st_ino, verdict.path});
  if (!take_name(verdict)) return;
  plugins_.push_back(std::make_shared<Plugin>(services_, verdict.path, *table));
  opened_.push_back(plugins_.back());
  verdict.stage = LoadStage::ready;
}

bool PluginRegistry::take_name(Verdict& verdict) {
  const auto [named, fresh] = names_.try_emplace(verdict.plugin, Named{place_, verdicts_.size()});
  if (fresh) return true;
  verdict.stage = LoadStage::name;
  Verdict& first = verdicts_[named->second.verdict];
  if (named->second.place != place_) {
    verdict.reason = "hidden by " + first.path.string() + ", which is also named " + verdict.plugin +
                     " and comes first in the search order";
    return false;
  }
  const auto reason = [&](const Verdict& other) {
    return "two plugins are named " + verdict.plugin + ", the other is " + other.path.string();
  };
  verdict.reason = reason(first);
  if (first.ok()) {
    first.stage = LoadStage::name;
    first.reason = reason(verdict);
    std::erase_if(plugins_, [&](const auto& plugin) { return plugin->name() == verdict.plugin; });
  }
  return false;
}

std::shared_ptr<Plugin> PluginRegistry::find(std::string_view name) const {
  for (const auto& plugin : plugins_) {
    if (plugin->name() == name) return plugin;
  }
  return nullptr;
}

void PluginRegistry::require_asked() const {
  for (const Verdict& verdict : verdicts_) {
    if (verdict.asked && verdict.stage < LoadStage::name) throw Error(ErrorCode::unusable, to_line(verdict));
  }
}

std::shared_ptr<Plugin> PluginRegistry::require(std::string_view name) const {
  auto found = find(name);
  for (const Verdict& verdict : verdicts_) {
    if (verdict.plugin != name && verdict.path.filename() != std::string(kPrefix) + std::string(name) + ".so") continue;
    if (verdict.ok() && found && verdict.plugin == name) return found;
    throw Error(ErrorCode::unusable, to_line(verdict));
  }
  std::string names;
  for (const auto& plugin : plugins_) names += (names.empty() ? "" : ", ") + plugin->name();
  throw Error(ErrorCode::unusable,
              "no plugin named '" + std::string(name) + "'; loaded: " + (names.empty() ? "none" : names));
}

}  // namespace cuzk
