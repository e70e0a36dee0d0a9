#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/loader/plugin_note.hpp>

namespace cuzk {

/// How far a candidate came. Each stage needs the ones before it; code of the plugin first runs in `open`.
enum class LoadStage {
  search,     ///< a folder of the search path
  file,       ///< it is there and a regular file
  elf,        ///< a shared object for this machine
  note,       ///< its note, if it has one, names an ABI we speak
  open,       ///< dlopen, with all symbols resolved
  symbol,     ///< the one entry symbol
  handshake,  ///< it agreed to an ABI
  table,      ///< what it answered is well-formed
  name,       ///< nobody else has its name
  ready
};

constexpr std::string_view name(LoadStage stage) {
  constexpr std::string_view kNames[] = {"search", "file",      "elf",   "note", "open",
                                         "symbol", "handshake", "table", "name", "ready"};
  return kNames[static_cast<size_t>(stage)];
}

/// What became of one candidate.
struct Verdict {
  std::filesystem::path path;         ///< absolute
  bool asked = false;                 ///< the search path names this path itself, so that it must be usable
  LoadStage stage = LoadStage::file;  ///< where it stopped; ready: loaded
  std::string plugin;                 ///< its name; empty where it did not get so far
  std::string reason;                 ///< one line: what was found and what was expected; empty when ready
  std::string system_text;            ///< the dynamic linker's own words, one line; empty unless it spoke
  std::vector<std::string> notes;     ///< what was skipped in a plugin that is ready
  PluginNote note;

  bool ok() const { return stage == LoadStage::ready; }
};

/// "PATH: ok: NAME" or "PATH: STAGE: REASON" in one line.
std::string to_line(const Verdict& verdict);

}  // namespace cuzk
