#pragma once
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/loader/plugin_registry.hpp>

namespace cuzk::test {

inline const std::filesystem::path kPlugins = CUZK_TEST_PLUGINS;
inline std::filesystem::path plugin_file(const std::string& folder, const std::string& name) {
  return kPlugins / folder / ("cuzk-plugin-" + name + ".so");
}

/// An engine's services and a registry over them; the log is kept.
class LoaderTest : public ::testing::Test {
 protected:
  struct Log {
    std::mutex mutex;
    std::vector<std::string> lines;  ///< "component: text"
    size_t count(const std::string& line) {
      const std::lock_guard lock(mutex);
      size_t n = 0;
      for (const std::string& l : lines) n += l == line;
      return n;
    }
  };

  Log log;
  HostServices services{2, [this](LogLevel, std::string_view component, std::string_view text) {
                          const std::lock_guard lock(log.mutex);
                          log.lines.push_back(std::string(component) + ": " + std::string(text));
                        }};
  std::unique_ptr<PluginRegistry> registry = std::make_unique<PluginRegistry>(services);

  Verdict load(const std::string& folder, const std::string& name) { return registry->load(plugin_file(folder, name)); }
};

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cuzk-loader-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path path;
};

/// The message and code of the Error that body throws.
template <class Body>
std::pair<ErrorCode, std::string> error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "expected an Error";
  return {ErrorCode::internal, ""};
}

}  // namespace cuzk::test
