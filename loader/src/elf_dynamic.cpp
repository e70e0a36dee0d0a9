#include "elf_dynamic.hpp"

#include "elf_symbols.hpp"

#include <algorithm>

namespace cuzk {
namespace {

struct TagName {
  int64_t tag;
  const char* name;
};
constexpr TagName kTagNames[] = {
    {DT_NEEDED, "NEEDED"},
    {DT_PLTRELSZ, "PLTRELSZ"},
    {DT_PLTGOT, "PLTGOT"},
    {DT_HASH, "HASH"},
    {DT_STRTAB, "STRTAB"},
    {DT_SYMTAB, "SYMTAB"},
    {DT_RELA, "RELA"},
    {DT_RELASZ, "RELASZ"},
    {DT_RELAENT, "RELAENT"},
    {DT_STRSZ, "STRSZ"},
    {DT_SYMENT, "SYMENT"},
    {DT_INIT, "INIT"},
    {DT_FINI, "FINI"},
    {DT_SONAME, "SONAME"},
    {DT_RPATH, "RPATH"},
    {DT_RUNPATH, "RUNPATH"},
    {DT_REL, "REL"},
    {DT_PLTREL, "PLTREL"},
    {DT_JMPREL, "JMPREL"},
    {DT_INIT_ARRAY, "INIT_ARRAY"},
    {DT_FINI_ARRAY, "FINI_ARRAY"},
    {DT_RELR, "RELR"},
    {DT_INIT_ARRAYSZ, "INIT_ARRAYSZ"},
    {DT_FINI_ARRAYSZ, "FINI_ARRAYSZ"},
    {DT_RELRSZ, "RELRSZ"},
    {DT_RELRENT, "RELRENT"},
    {DT_GNU_HASH, "GNU_HASH"},
    {DT_RELACOUNT, "RELACOUNT"},
    {DT_VERSYM, "VERSYM"},
    {DT_VERNEED, "VERNEED"},
    {DT_VERNEEDNUM, "VERNEEDNUM"},
    {DT_VERDEF, "VERDEF"},
    {DT_VERDEFNUM, "VERDEFNUM"},
    {DT_AUXILIARY, "AUXILIARY"},
    {DT_FILTER, "FILTER"},
};

bool may_repeat(int64_t tag) { return tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER; }
bool names_a_string(int64_t tag) { return may_repeat(tag) || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH; }

}  // namespace

std::string tag_name(int64_t tag) {
  const auto* const found =
      std::find_if(std::begin(kTagNames), std::end(kTagNames), [&](const TagName& known) { return known.tag == tag; });
  return found == std::end(kTagNames) ? "dynamic tag " + std::to_string(tag) : std::string("DT_") + found->name;
}

ElfDynamic::ElfDynamic(const ElfImage& image) : image_(image) {
  const Elf64_Phdr* const segment = image.find(PT_DYNAMIC);
  if (segment == nullptr) bad_elf("no dynamic section");
  if (segment->p_vaddr % alignof(Elf64_Dyn) != 0) bad_elf("the dynamic section's address is not aligned");
  const auto bytes = image.bytes(segment->p_vaddr, segment->p_filesz);
  if (!bytes) bad_elf("the dynamic section lies beyond what the file has of its segment");
  const auto entries = records<Elf64_Dyn>(*bytes);
  const auto end = std::find_if(entries.begin(), entries.end(), [](const auto& dyn) { return dyn.d_tag == DT_NULL; });
  if (end == entries.end()) bad_elf("the dynamic section does not end with DT_NULL");
  std::vector<std::pair<int64_t, uint64_t>> strings;
  for (auto entry = entries.begin(); entry != end; ++entry) {
    if (names_a_string(entry->d_tag)) strings.emplace_back(entry->d_tag, entry->d_un.d_val);
    if (entry->d_tag == DT_NEEDED) needed_.push_back(entry->d_un.d_val);
    const bool first = tags_.try_emplace(entry->d_tag, entry->d_un.d_val).second;
    if (!first && !may_repeat(entry->d_tag)) bad_elf("the dynamic section has " + tag_name(entry->d_tag) + " twice");
  }
  strings_ = table(DT_STRTAB, DT_STRSZ, 1);
  if (strings_.empty() || strings_.back() != std::byte{0}) bad_elf("the table of DT_STRTAB does not end with a 0");
  for (const auto& [tag, offset] : strings) static_cast<void>(string(offset, tag_name(tag)));
}

std::optional<uint64_t> ElfDynamic::find(int64_t tag) const {
  const auto found = tags_.find(tag);
  return found == tags_.end() ? std::nullopt : std::optional(found->second);
}

uint64_t ElfDynamic::require(int64_t tag) const {
  const auto found = find(tag);
  if (!found) bad_elf("the dynamic section has no " + tag_name(tag));
  return *found;
}

Bytes ElfDynamic::table(int64_t address, int64_t size, uint64_t entry) const {
  if (!find(address) && !find(size)) return {};
  const auto bytes = image_.bytes(require(address), require(size));
  if (!bytes) bad_elf("the table of " + tag_name(address) + " lies outside of what is loaded");
  if (bytes->size() % entry != 0) {
    bad_elf(tag_name(size) + " is " + std::to_string(bytes->size()) + ", expected a multiple of " +
            std::to_string(entry));
  }
  return *bytes;
}

std::string_view ElfDynamic::string(uint64_t offset, const std::string& what) const {
  if (offset >= strings_.size()) {
    bad_elf(what + " names byte " + std::to_string(offset) + " of the string table, which has " +
            std::to_string(strings_.size()));
  }
  return reinterpret_cast<const char*>(strings_.data()) + offset;  // the table ends with a 0
}

bool ElfDynamic::needs(std::string_view library) const {
  return std::any_of(needed_.begin(), needed_.end(),
                     [&](uint64_t offset) { return string(offset, tag_name(DT_NEEDED)) == library; });
}

void check_functions(const ElfImage& image, const ElfDynamic& dynamic) {
  for (const int64_t tag : {int64_t{DT_INIT}, int64_t{DT_FINI}}) {
    const auto address = dynamic.find(tag);
    if (address && !image.maps(*address, 1, PF_X)) bad_elf(tag_name(tag) + " points at no code");
  }
  for (const auto& [tag, size] : {std::pair{DT_INIT_ARRAY, DT_INIT_ARRAYSZ}, {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}}) {
    static_cast<void>(dynamic.table(tag, size, sizeof(Elf64_Addr)));
    if (dynamic.find(tag).value_or(0) % sizeof(Elf64_Addr) != 0) bad_elf(tag_name(tag) + " is not aligned");
  }
  const auto got = dynamic.find(DT_PLTGOT);
  if (got && !image.maps(*got, 0, PF_W)) bad_elf(tag_name(DT_PLTGOT) + " points at nothing that can be written");
}

void check_loadable(Bytes file) {
  const ElfFile elf = read_elf(file);
  const ElfImage image(elf);
  const ElfDynamic dynamic(image);
  const ElfSymbols symbols(image, dynamic);
  check_relocations(image, dynamic, symbols);
  check_functions(image, dynamic);
  check_sections(elf, image, dynamic);
}

}  // namespace cuzk
