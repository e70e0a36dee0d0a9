#include "elf_file.hpp"

#include <cuzk/error.hpp>

namespace cuzk {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "name this machine's ELF number here"
#endif

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

Elf64_Ehdr read_header(Bytes file) {
  const auto ident = part(file, 0, EI_NIDENT);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) bad_elf("no ELF file: expected a shared object");
  if (std::to_integer<int>((*ident)[EI_CLASS]) != ELFCLASS64) bad_elf("a 32-bit ELF file, expected a 64-bit one");
  if (std::to_integer<int>((*ident)[EI_DATA]) != ELFDATA2LSB) {
    bad_elf("a big-endian ELF file, expected a little-endian one");
  }
  const auto elf = value<Elf64_Ehdr>(file, 0);
  if (!elf) bad_elf("cut off within the ELF header");
  if (elf->e_machine != kMachine) {
    bad_elf("built for " + machine_name(elf->e_machine) + ", this program runs on " + machine_name(kMachine));
  }
  if (elf->e_type != ET_DYN) bad_elf("ELF type " + std::to_string(elf->e_type) + ", expected a shared object");
  if (elf->e_phentsize != sizeof(Elf64_Phdr)) {
    bad_elf("program headers of " + std::to_string(elf->e_phentsize) + " bytes, expected " +
            std::to_string(sizeof(Elf64_Phdr)));
  }
  return *elf;
}

}  // namespace

void bad_elf(const std::string& reason) { throw Error(ErrorCode::bad_input, reason); }

ElfFile read_elf(Bytes file) {
  const Elf64_Ehdr header = read_header(file);
  const auto table = part(file, header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  if (!table) bad_elf("cut off: its program headers lie beyond its end");
  return {file, header, records<Elf64_Phdr>(*table)};
}

}  // namespace cuzk
