#include "elf_dynamic.hpp"

#include <algorithm>
#include <utility>

namespace cuzk {
namespace {

/// A section and its name.
struct Section {
  Elf64_Shdr header;
  std::string name;
};

std::vector<Section> read_sections(const ElfFile& elf) {
  const Elf64_Ehdr& header = elf.header;
  if (header.e_shoff == 0 || header.e_shnum == 0) return {};  // may be stripped
  const auto table = part(elf.bytes, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum || !table) {
    bad_elf("cut off: its section headers lie beyond its end");
  }
  const auto headers = records<Elf64_Shdr>(*table);
  const auto names = part(elf.bytes, headers[header.e_shstrndx].sh_offset, headers[header.e_shstrndx].sh_size);
  if (headers.front().sh_type != SHT_NULL || headers[header.e_shstrndx].sh_type != SHT_STRTAB || !names ||
      names->empty() || names->back() != std::byte{0}) {
    bad_elf("its section headers have no names");
  }
  std::vector<Section> sections;
  for (const Elf64_Shdr& section : headers) {
    if (section.sh_name >= names->size()) bad_elf("its section headers have no names");
    sections.push_back({section, reinterpret_cast<const char*>(names->data()) + section.sh_name});
  }
  return sections;
}

void expect_tag(const ElfDynamic& dynamic, int64_t tag, uint64_t expected, const std::string& name) {
  if (dynamic.find(tag) != expected) bad_elf("section " + name + " is not where " + tag_name(tag) + " says");
}

/// Each section that is needed at run time is loaded from its bytes, with the rights that it wants.
void check_loaded(const ElfImage& image, const Section& section) {
  const Elf64_Shdr& header = section.header;
  const bool zeros = header.sh_type == SHT_NOBITS;
  const bool tls = (header.sh_flags & SHF_TLS) != 0;
  const Elf64_Phdr* const segment = tls ? image.find(PT_TLS) : image.load_of(header.sh_addr, header.sh_size);
  const uint64_t at = segment != nullptr ? header.sh_addr - segment->p_vaddr : 0;
  const uint64_t room = segment == nullptr ? 0 : (zeros ? segment->p_memsz : segment->p_filesz);
  const bool placed = segment != nullptr && at <= room && header.sh_size <= room - at &&
                      (zeros || header.sh_offset - segment->p_offset == at);
  if (!placed) bad_elf("section " + section.name + " is not loaded where it belongs");
  if (tls) return;
  const uint32_t wanted = ((header.sh_flags & SHF_WRITE) != 0 ? uint32_t{PF_W} : 0) |
                          ((header.sh_flags & SHF_EXECINSTR) != 0 ? uint32_t{PF_X} : PF_R);
  if ((segment->p_flags & wanted) != wanted) {
    bad_elf("section " + section.name + " is loaded without the right to " +
            ((wanted & PF_X) != 0 ? "execute" : "read or write"));
  }
}

/// Data that is written later must not be sealed after the relocations.
void check_sealed(const ElfImage& image, const Section& section) {
  const Elf64_Phdr* const sealed = image.find(PT_GNU_RELRO);
  if (sealed == nullptr || (section.name != ".data" && section.name != ".bss")) return;
  const bool apart = section.header.sh_addr >= sealed->p_vaddr + sealed->p_memsz ||
                     section.header.sh_addr + section.header.sh_size <= sealed->p_vaddr;
  if (!apart) bad_elf("section " + section.name + " is made read-only after loading");
}

struct Tags {
  uint32_t type;
  int64_t address, size;  ///< size: 0 where there is no such tag
};
constexpr Tags kTables[] = {
    {SHT_DYNSYM, DT_SYMTAB, 0},
    {SHT_GNU_HASH, DT_GNU_HASH, 0},
    {SHT_HASH, DT_HASH, 0},
    {SHT_GNU_versym, DT_VERSYM, 0},
    {SHT_GNU_verneed, DT_VERNEED, 0},
    {SHT_GNU_verdef, DT_VERDEF, 0},
    {SHT_INIT_ARRAY, DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
    {SHT_FINI_ARRAY, DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
    {SHT_RELR, DT_RELR, DT_RELRSZ},
};

/// The dynamic section names each section that the dynamic linker works with.
void check_named(const ElfImage& image, const ElfDynamic& dynamic, const std::vector<Section>& sections,
                 const Section& section) {
  const Elf64_Shdr& header = section.header;
  for (const Tags& tags : kTables) {
    if (header.sh_type != tags.type) continue;
    expect_tag(dynamic, tags.address, header.sh_addr, section.name);
    if (tags.size != 0) expect_tag(dynamic, tags.size, header.sh_size, section.name);
  }
  if (section.name == ".init") expect_tag(dynamic, DT_INIT, header.sh_addr, section.name);
  if (section.name == ".fini") expect_tag(dynamic, DT_FINI, header.sh_addr, section.name);
  if (header.sh_type == SHT_DYNSYM) {
    if (header.sh_link >= sections.size()) bad_elf("section " + section.name + " has no strings");
    const Section& strings = sections[header.sh_link];
    expect_tag(dynamic, DT_STRTAB, strings.header.sh_addr, strings.name);
    expect_tag(dynamic, DT_STRSZ, strings.header.sh_size, strings.name);
  }
  if (header.sh_type == SHT_RELA) {
    const auto has = [&](int64_t address, int64_t size) {
      const uint64_t begin = dynamic.find(address).value_or(0);
      const uint64_t end = begin + dynamic.find(size).value_or(0);
      return header.sh_addr >= begin && header.sh_addr + header.sh_size <= end;
    };
    if (!has(DT_RELA, DT_RELASZ) && !has(DT_JMPREL, DT_PLTRELSZ)) {
      bad_elf("section " + section.name + " is neither in DT_RELA nor in DT_JMPREL");
    }
  }
  for (const auto& [type, name] : {std::pair{PT_DYNAMIC, ".dynamic"}, {PT_GNU_EH_FRAME, ".eh_frame_hdr"}}) {
    if (section.name != name) continue;
    const Elf64_Phdr* const segment = image.find(static_cast<uint32_t>(type));
    if (segment == nullptr || segment->p_vaddr != header.sh_addr || segment->p_memsz != header.sh_size) {
      bad_elf("section " + section.name + " is not where the program headers say");
    }
  }
}

}  // namespace

void check_sections(const ElfFile& elf, const ElfImage& image, const ElfDynamic& dynamic) {
  const auto sections = read_sections(elf);
  for (const Section& section : sections) {
    if ((section.header.sh_flags & SHF_ALLOC) == 0 || section.header.sh_size == 0) continue;
    check_loaded(image, section);
    check_sealed(image, section);
    check_named(image, dynamic, sections, section);
  }
}

}  // namespace cuzk
