#include "elf_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <cuzk/abi/plugin_note.h>
#include <cuzk/loader/plugin_note.hpp>

namespace cuzk {
namespace {

PluginNote lines(std::string_view text) {
  PluginNote note;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t equals = line.find('=');
    if (equals != line.npos) note.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return note;
}

/// Ours among the notes of one segment. A malformed one ends the search: notes are chained by their sizes.
std::optional<PluginNote> find_note(Bytes segment, uint64_t alignment) {
  const auto round = [&](uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
  uint64_t at = 0;
  while (const auto head = value<Elf64_Nhdr>(segment, at)) {
    const uint64_t name_at = at + sizeof *head;
    const uint64_t text_at = name_at + round(head->n_namesz);
    const auto name = part(segment, name_at, head->n_namesz);
    const auto text = part(segment, text_at, head->n_descsz);
    if (!name || !text) return std::nullopt;
    if (head->n_type == CUZK_NOTE_TYPE && name->size() == sizeof CUZK_NOTE_NAME &&
        std::memcmp(name->data(), CUZK_NOTE_NAME, name->size()) == 0) {
      return lines(std::string_view(reinterpret_cast<const char*>(text->data()), text->size()));
    }
    at = text_at + round(head->n_descsz);
  }
  return std::nullopt;
}

}  // namespace

PluginNote read_plugin_note(Bytes file) {
  for (const Elf64_Phdr& segment : read_elf(file).segments) {
    if (segment.p_type != PT_NOTE) continue;
    const auto bytes = part(file, segment.p_offset, segment.p_filesz);
    if (!bytes) bad_elf("cut off: its notes lie beyond its end");
    if (auto note = find_note(*bytes, segment.p_align == 8 ? 8 : 4)) return std::move(*note);
  }
  return {};
}

}  // namespace cuzk
