#include "formats/checksum.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/formats/iden3_writers.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/formats/pce.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/key_cache.hpp>

namespace cuzk {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComponent = "key cache";
/// To be raised when the same workload gets other files.
constexpr std::string_view kVersion = "1";

/// "dense-10,curve=bn254,..." of a version: also what a file name can be on any file system.
std::string stem_of(const Circuit& circuit) {
  std::string stem = "v" + std::string(kVersion) + "-" + circuit.name;
  std::replace(stem.begin(), stem.end(), ':', '-');
  return stem;
}

bool is_file_of(const std::string& path, const std::string& contents) {
  const MappedFile file(path);  // which refuses what is no file
  const auto bytes = file.bytes();
  return bytes.size() == contents.size() && std::memcmp(bytes.data(), contents.data(), contents.size()) == 0;
}

/// One key in the folder: its files and the one with their checksums.
class Entry {
 public:
  Entry(const Workload& workload, HostServices& services, const std::string& folder)
      : circuit_(*workload.circuit()),
        services_(services),
        folder_(folder),
        bellman_(workload.conventions() == Conventions::bellman) {
    const std::string stem = (fs::path(folder) / stem_of(circuit_)).string();
    paths_ = bellman_ ? std::vector{stem + ".params", stem + ".pce"} : std::vector{stem + ".zkey"};
    sum_path_ = stem + ".sum";
  }

  /// Null: not there, or refused with a warning.
  std::shared_ptr<const ProvingKey> open() const {
    std::error_code ignored;
    if (!fs::exists(sum_path_, ignored)) return nullptr;
    try {
      if (is_file_of(sum_path_, sums())) {
        return bellman_ ? open_params(paths_[0], paths_[1], services_.cpu(), true)
                        : open_zkey(paths_[0], services_.cpu());
      }
      services_.log(LogLevel::warn, kComponent, paths_[0] + ": damaged or stale, is made anew");
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      services_.log(LogLevel::warn, kComponent, std::string(error.what()) + "; the key is made anew");
    }
    return nullptr;
  }

  /// The sums come last: whoever finds them finds the key they are of, or the same bytes from another process.
  void store(const ProvingKey& key) const {
    try {
      std::error_code ignored;
      fs::create_directories(folder_, ignored);
      OutputFiles files(paths_);
      if (bellman_) {
        write_params(key, files.sink(paths_[0]));
        write_pce(circuit_, services_.cpu(), files.sink(paths_[1]));
      } else {
        write_zkey(key, circuit_, files.sink(paths_[0]));
      }
      files.commit();
      OutputFiles sum_file(std::span(&sum_path_, 1));
      sum_file.write(sum_path_, sums());
      sum_file.commit();
      services_.log(LogLevel::info, kComponent, "kept " + paths_[0]);
    } catch (const Error& error) {
      services_.log(LogLevel::info, kComponent, "the key is not kept: " + std::string(error.what()));
    }
  }

 private:
  /// What belongs into the .sum file: a line for the circuit and one a file. Error bad_input: a file is missing.
  std::string sums() const {
    const auto line = [](uint32_t sum, const std::string& what) {
      return formats::checksum_text(sum) + "  " + what + "\n";
    };
    std::string text = line(formats::checksum(services_.cpu(), circuit_), circuit_.name);
    for (const std::string& path : paths_) {
      const MappedFile file(path);
      text += line(formats::checksum(services_.cpu(), file.bytes()),
                   fs::path(path).filename().string() + ", " + std::to_string(file.bytes().size()) + " bytes");
    }
    return text;
  }

  const Circuit& circuit_;
  HostServices& services_;
  std::string folder_, sum_path_;
  const bool bellman_;  ///< .params and .pce instead of .zkey
  std::vector<std::string> paths_;
};

}  // namespace

std::string key_cache_folder() {
  const auto folder = [](const char* variable) -> std::string {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
    return value != nullptr && fs::path(value).is_absolute() ? value : "";
  };
  if (std::string own = folder("CUZK_CACHE_DIR"); !own.empty()) return own;
  if (const std::string cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache + "/cuzk";
  if (const std::string home = folder("HOME"); !home.empty()) return home + "/.cache/cuzk";
  return {};
}

std::shared_ptr<const ProvingKey> workload_key(const Workload& workload, HostServices& services,
                                               const std::string& folder, const MakeKey& make) {
  const auto made = [&] {
    if (make) return make(workload);
    return setup(workload.circuit(), workload.conventions(), workload.spec().seed, services.cpu());
  };
  if (folder.empty()) return made();
  const Entry entry(workload, services, folder);
  if (auto key = entry.open()) return key;
  auto key = made();
  entry.store(*key);
  return key;
}

}  // namespace cuzk
