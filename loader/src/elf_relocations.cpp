#include "elf_symbols.hpp"

#include <algorithm>

namespace cuzk {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kRelative = R_X86_64_RELATIVE, kIndirect = R_X86_64_IRELATIVE, kTlsDescriptor = R_X86_64_TLSDESC;
constexpr uint32_t kTypes[] = {R_X86_64_NONE,     R_X86_64_64,        R_X86_64_32,      R_X86_64_PC32,
                               R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, kRelative,        kIndirect,
                               R_X86_64_DTPMOD64, R_X86_64_DTPOFF64,  R_X86_64_TPOFF64, kTlsDescriptor,
                               R_X86_64_SIZE64,   R_X86_64_SIZE32};
#elif defined(__aarch64__)
constexpr uint32_t kRelative = R_AARCH64_RELATIVE, kIndirect = R_AARCH64_IRELATIVE, kTlsDescriptor = R_AARCH64_TLSDESC;
constexpr uint32_t kTypes[] = {
    R_AARCH64_NONE, R_AARCH64_ABS64, R_AARCH64_GLOB_DAT,   R_AARCH64_JUMP_SLOT,  kRelative,
    kIndirect,      kTlsDescriptor,  R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL, R_AARCH64_TLS_TPREL};
#endif

/// Everything that relocations write: 8 bytes, 16 for a descriptor of thread-local data.
void check_place(const ElfImage& image, uint64_t address, uint64_t size, const std::string& name) {
  if (!image.maps(address, size, PF_W)) bad_elf(name + " writes where nothing can be written");
}

void check_table(const ElfImage& image, const ElfSymbols& symbols, const std::vector<Elf64_Rela>& table,
                 const std::string& what) {
  for (size_t i = 0; i < table.size(); ++i) {
    const std::string name = "relocation " + std::to_string(i) + " of " + what;
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(table[i].r_info));
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
      bad_elf(name + " is of unknown type " + std::to_string(type));
    }
    if (type == 0) continue;
    check_place(image, table[i].r_offset, type == kTlsDescriptor ? 16 : 8, name);
    if (const auto symbol = ELF64_R_SYM(table[i].r_info)) symbols.require(symbol, name);
    if (type == kIndirect && !image.maps(static_cast<uint64_t>(table[i].r_addend), 1, PF_X)) {
      bad_elf(name + " points at no code");
    }
  }
}

/// The packed relative relocations: an even word is an address; an odd one has a bit for each of the 63 words that
/// follow the last place ("Relative relocations in a compact form", generic ABI, DT_RELR).
void check_packed(const ElfImage& image, const std::vector<uint64_t>& words) {
  uint64_t next = 0;
  for (const uint64_t word : words) {
    if ((word & 1) == 0) {
      check_place(image, word, 8, "DT_RELR");
      next = word + 8;
      continue;
    }
    for (uint64_t bit = 1; bit < 64; ++bit) {
      if ((word >> bit) & 1) check_place(image, next + (bit - 1) * 8, 8, "DT_RELR");
    }
    next += uint64_t{63} * 8;
  }
}

void expect_tag(const ElfDynamic& dynamic, int64_t tag, uint64_t expected) {
  const uint64_t found = dynamic.require(tag);
  if (found != expected) {
    bad_elf(tag_name(tag) + " is " + std::to_string(found) + ", expected " + std::to_string(expected));
  }
}

}  // namespace

void check_relocations(const ElfImage& image, const ElfDynamic& dynamic, const ElfSymbols& symbols) {
  if (dynamic.find(DT_REL)) bad_elf("DT_REL, expected relocations with addends");
  const auto table = records<Elf64_Rela>(dynamic.table(DT_RELA, DT_RELASZ, sizeof(Elf64_Rela)));
  if (dynamic.find(DT_RELA)) expect_tag(dynamic, DT_RELAENT, sizeof(Elf64_Rela));
  check_table(image, symbols, table, tag_name(DT_RELA));
  const uint64_t relative = dynamic.find(DT_RELACOUNT).value_or(0);
  const auto is_relative = [](const Elf64_Rela& entry) { return ELF64_R_TYPE(entry.r_info) == kRelative; };
  if (relative > table.size() ||
      !std::all_of(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(relative), is_relative)) {
    bad_elf("DT_RELACOUNT is " + std::to_string(relative) + ", but fewer relocations are relative");
  }
  if (dynamic.find(DT_JMPREL) || dynamic.find(DT_PLTREL)) expect_tag(dynamic, DT_PLTREL, DT_RELA);
  check_table(image, symbols, records<Elf64_Rela>(dynamic.table(DT_JMPREL, DT_PLTRELSZ, sizeof(Elf64_Rela))),
              tag_name(DT_JMPREL));
  if (dynamic.find(DT_RELR)) expect_tag(dynamic, DT_RELRENT, sizeof(uint64_t));
  check_packed(image, records<uint64_t>(dynamic.table(DT_RELR, DT_RELRSZ, sizeof(uint64_t))));
}

}  // namespace cuzk
