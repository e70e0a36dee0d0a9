#pragma once
#include "elf_file.hpp"

namespace cuzk {

/// A file as the dynamic linker will map it: its PT_LOAD segments, known to lie within the file, in order and apart,
/// and the segments that describe parts of them, known to lie within one. Addresses are the file's own, unrelocated.
class ElfImage {
 public:
  /// @param elf outlives the image
  explicit ElfImage(const ElfFile& elf);

  /// The file's bytes of the readable range [address, address + size); nothing where a part has none.
  std::optional<Bytes> bytes(uint64_t address, uint64_t size) const;
  /// From address to the end of what its segment has in the file; empty when no readable segment has the address.
  Bytes from(uint64_t address) const;
  /// Whether one PT_LOAD segment has the whole range and all of the flags (PF_R, PF_W, PF_X).
  bool maps(uint64_t address, uint64_t size, uint32_t flags) const;
  /// The PT_LOAD segment of the whole range, null when there is none.
  const Elf64_Phdr* load_of(uint64_t address, uint64_t size) const;
  /// The one segment of this type, null when there is none. Error bad_input when there are more.
  const Elf64_Phdr* find(uint32_t type) const;

 private:
  void check_load(const Elf64_Phdr&, const std::string& name);
  void check_part(const Elf64_Phdr&, const std::string& name) const;

  const ElfFile& elf_;
  std::vector<Elf64_Phdr> loads_;
};

}  // namespace cuzk
