#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/loader/plugin.hpp>
#include <cuzk/loader/verdict.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

/// Finds, opens, checks and keeps plugins. One at a time in a process, because plugins hold one host table; a later one
/// may follow. Libraries are never unloaded; the destructor shuts the plugins down in reverse order, after which
/// nothing that came from them may be called. Threads: scan() and load() before the others start; reading then from any
/// thread.
class PluginRegistry {
 public:
  explicit PluginRegistry(HostServices&);
  ~PluginRegistry();
  PluginRegistry(const PluginRegistry&) = delete;
  PluginRegistry& operator=(const PluginRegistry&) = delete;

  /// Loads cuzk-plugin-*.so, sorted, not recursive, from the folders of plugin_path (--plugin-path; separated by
  /// colons; an entry may be a file), then of CUZK_PLUGIN_PATH, then from ../lib/cuzk/plugins beside this executable's
  /// own folder. A plugin of an earlier one of the three places hides one of the same name in a later; two in the same
  /// place are an error.
  void scan(const std::optional<std::string>& plugin_path = {});
  /// One candidate by its path. Never throws over a bad plugin: the verdict says it.
  Verdict load(const std::filesystem::path& path);

  /// One verdict for each candidate, in the order they were met.
  std::span<const Verdict> verdicts() const { return verdicts_; }
  /// Ready plugins in loading order. Of two with one name in the same place neither is ready.
  std::span<const std::shared_ptr<Plugin>> plugins() const { return plugins_; }
  std::shared_ptr<Plugin> find(std::string_view name) const;  ///< null: not loaded
  /// Error unusable: the first entry of the search path that is no folder and no plugin that could be loaded.
  void require_asked() const;
  /// find(), or Error unusable: why it could not be loaded, or which plugins there are. A broken file of that name is
  /// not passed over for a sound one further down the search order.
  std::shared_ptr<Plugin> require(std::string_view name) const;
  HostServices& services() const { return services_; }

 private:
  struct File {
    uint64_t device, inode;
    std::filesystem::path path;
  };
  struct Named {
    int place;
    size_t verdict;  ///< of the first plugin of that name
  };
  void scan_place(const std::string& folders);
  void examine(Verdict& verdict);
  /// False when the name is taken; the verdict then says by whom.
  bool take_name(Verdict& verdict);

  HostServices& services_;
  int place_ = 0;  ///< counts the three places of the search order
  std::vector<File> files_;
  std::map<std::string, Named> names_;
  std::vector<Verdict> verdicts_;
  std::vector<std::shared_ptr<Plugin>> plugins_;
  std::vector<std::shared_ptr<Plugin>> opened_;  ///< those that are to be shut down
};

}  // namespace cuzk
