#define BOOST_DLL_USE_STD_FS
#include "open_plugin.hpp"

#include "boundary.hpp"
#include "check_plugin.hpp"
#include "elf_file.hpp"
#include "host_table.hpp"
#include "table.hpp"

#include <boost/dll/shared_library.hpp>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/formats/mapped_file.hpp>

namespace cuzk {
namespace {

namespace fs = std::filesystem;
using boost::dll::shared_library;

/// Stops a candidate: the reason, and the linker's words where it spoke.
struct Stop {
  std::string reason, system_text;
};

void require_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw Stop{"no such file", {}};
  if (error) throw Stop{error.message(), {}};
  if (status.type() == fs::file_type::directory) throw Stop{"a directory, expected a shared object", {}};
  if (status.type() != fs::file_type::regular) throw Stop{"not a regular file, expected a shared object", {}};
}

PluginNote read_note(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) == 0 && !error) throw Stop{"an empty file, expected a shared object", {}};
  const MappedFile file(path.string());
  check_loadable(file.bytes());
  return read_plugin_note(file.bytes());
}

void require_abi(const PluginNote& note) {
  const auto abi = note.find("abi");
  const std::string ours = std::to_string(CUZK_ABI_VERSION);
  if (abi != note.end() && abi->second != ours) {
    throw Stop{"its note says ABI " + one_line(abi->second) + ", this program speaks " + ours + " to " + ours, {}};
  }
}

/// The dynamic linker's own words, which Boost.DLL sets in words of its own.
std::string linker_words(const std::system_error& error) {
  constexpr std::string_view kLead = "(dlerror system message: ";
  std::string words = error.what();
  const size_t lead = words.find(kLead), end = words.rfind(')');
  if (lead != words.npos && end != words.npos && end > lead) {
    words = words.substr(lead + kLead.size(), end - lead - kLead.size());
  }
  return one_line(words);
}

/// Libraries stay open for the life of the process: code and static data of a plugin may be referred to from anywhere.
const shared_library& open(const fs::path& path) {
  static auto& opened = *new std::vector<std::unique_ptr<shared_library>>;
  try {
    opened.push_back(
        std::make_unique<shared_library>(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local));
  } catch (const std::system_error& error) {
    const std::string words = linker_words(error);
    throw Stop{"cannot be opened: " + words, words};
  }
  return *opened.back();
}

cuzk_plugin_query_fn& entry_of(const shared_library& library) {
  try {
    return library.get<cuzk_plugin_query_fn>(CUZK_PLUGIN_ENTRY);
  } catch (const std::system_error& error) {
    throw Stop{"exports no " CUZK_PLUGIN_ENTRY ": not a cuzk plugin", linker_words(error)};
  }
}

const cuzk_plugin& shake_hands(cuzk_plugin_query_fn& query) {
  const cuzk_plugin* table = nullptr;
  cuzk_status status{};
  const int32_t code = guarded(CUZK_PLUGIN_ENTRY, [&] { return query(&host_table(), &table, &status); });
  if (code != CUZK_OK) {
    throw Stop{(code == CUZK_REFUSED ? "refused: " : "answered with an error: ") + status_text(code, status), {}};
  }
  if (table == nullptr) throw Stop{"agreed, but gave no table", {}};
  return *table;
}

}  // namespace

const cuzk_plugin* open_plugin(Verdict& verdict) {
  try {
    verdict.stage = LoadStage::file;
    require_file(verdict.path);
    verdict.stage = LoadStage::elf;
    verdict.note = read_note(verdict.path);
    verdict.stage = LoadStage::note;
    require_abi(verdict.note);
    verdict.stage = LoadStage::open;
    const shared_library& library = open(verdict.path);
    verdict.stage = LoadStage::symbol;
    cuzk_plugin_query_fn& query = entry_of(library);
    verdict.stage = LoadStage::handshake;
    const cuzk_plugin& table = shake_hands(query);
    verdict.stage = LoadStage::table;
    verdict.notes = check_plugin(table);
    verdict.plugin = text(table.name);
    return &table;
  } catch (const Stop& stop) {
    verdict.reason = stop.reason;
    verdict.system_text = stop.system_text;
  } catch (const std::exception& error) {
    verdict.reason = one_line(error.what());
  }
  return nullptr;
}

}  // namespace cuzk
