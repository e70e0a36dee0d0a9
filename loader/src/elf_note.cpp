#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_note.h>
#include <cuzk/error.hpp>
#include <cuzk/loader/plugin_note.hpp>

namespace cuzk {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "name this machine's ELF number here"
#endif

using Bytes = std::span<const std::byte>;

[[noreturn]] void bad(const std::string& reason) { throw Error(ErrorCode::bad_input, reason); }

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    default:
      return "machine number " + std::to_string(machine);
  }
}

/// [offset, offset + size) of whole, or nothing when it lies beyond the end; free of overflow.
std::optional<Bytes> part(Bytes whole, uint64_t offset, uint64_t size) {
  if (offset > whole.size() || size > whole.size() - offset) return std::nullopt;
  return whole.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

/// The bytes may lie at any alignment.
template <class Value>
std::optional<Value> value(Bytes whole, uint64_t offset) {
  const auto bytes = part(whole, offset, sizeof(Value));
  if (!bytes) return std::nullopt;
  Value result;
  std::memcpy(&result, bytes->data(), sizeof result);
  return result;
}

Elf64_Ehdr header(Bytes file) {
  const auto ident = part(file, 0, EI_NIDENT);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) bad("no ELF file: expected a shared object");
  if (std::to_integer<int>((*ident)[EI_CLASS]) != ELFCLASS64) bad("a 32-bit ELF file, expected a 64-bit one");
  if (std::to_integer<int>((*ident)[EI_DATA]) != ELFDATA2LSB)
    bad("a big-endian ELF file, expected a little-endian one");
  const auto elf = value<Elf64_Ehdr>(file, 0);
  if (!elf) bad("cut off within the ELF header");
  if (elf->e_machine != kMachine) {
    bad("built for " + machine_name(elf->e_machine) + ", this program runs on " + machine_name(kMachine));
  }
  if (elf->e_type != ET_DYN) bad("ELF type " + std::to_string(elf->e_type) + ", expected a shared object");
  if (elf->e_phentsize != sizeof(Elf64_Phdr)) bad("program headers of " + std::to_string(elf->e_phentsize) + " bytes");
  return *elf;
}

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
  const Elf64_Ehdr elf = header(file);
  const auto headers = part(file, elf.e_phoff, uint64_t{elf.e_phnum} * sizeof(Elf64_Phdr));
  if (!headers) bad("cut off: its program headers lie beyond its end");
  std::optional<PluginNote> note;
  for (uint64_t i = 0; i < elf.e_phnum; ++i) {
    const auto segment = *value<Elf64_Phdr>(*headers, i * sizeof(Elf64_Phdr));
    const auto bytes = part(file, segment.p_offset, segment.p_filesz);
    if (segment.p_type == PT_LOAD && !bytes) bad("cut off: a segment lies beyond its end");
    if (segment.p_type == PT_NOTE && bytes && !note) note = find_note(*bytes, segment.p_align == 8 ? 8 : 4);
  }
  return note.value_or(PluginNote{});
}

}  // namespace cuzk
