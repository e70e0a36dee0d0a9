#pragma once
#include "elf_image.hpp"

#include <map>
#include <string_view>

namespace cuzk {

/// The dynamic section: its tags, known to end within it, and its strings, known to lie within the string table.
class ElfDynamic {
 public:
  /// @param image outlives it
  explicit ElfDynamic(const ElfImage& image);

  std::optional<uint64_t> find(int64_t tag) const;
  uint64_t require(int64_t tag) const;
  /// The table of two tags, address and size in bytes; empty when both are absent.
  /// Error bad_input: one is absent, or the table is not in the file, or its size is no multiple of one entry's.
  Bytes table(int64_t address, int64_t size, uint64_t entry) const;
  /// Error bad_input: beyond the table. what: who asks.
  std::string_view string(uint64_t offset, const std::string& what) const;
  bool needs(std::string_view library) const;

 private:
  const ElfImage& image_;
  std::map<int64_t, uint64_t> tags_;
  std::vector<uint64_t> needed_;  ///< offsets of names
  Bytes strings_;
};

/// "DT_STRTAB", or its number.
std::string tag_name(int64_t tag);

/// The parts of check_loadable().
class ElfSymbols;
void check_relocations(const ElfImage&, const ElfDynamic&, const ElfSymbols&);
void check_functions(const ElfImage&, const ElfDynamic&);
void check_sections(const ElfFile&, const ElfImage&, const ElfDynamic&);

}  // namespace cuzk
