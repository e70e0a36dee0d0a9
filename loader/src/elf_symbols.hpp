#pragma once
#include "elf_dynamic.hpp"

namespace cuzk {

/// The dynamic symbols, their hash tables and versions; all that looking a symbol up walks through is known to lie
/// within the file and to end.
class ElfSymbols {
 public:
  /// @param image, dynamic outlive it
  ElfSymbols(const ElfImage& image, const ElfDynamic& dynamic);

  /// Error bad_input: no such symbol, or its name, version or address is not there. what: who asks.
  void require(uint64_t index, const std::string& what) const;

 private:
  void check_hash();
  void check_gnu_hash();
  void check_needed_versions();
  void check_defined_versions();

  const ElfImage& image_;
  const ElfDynamic& dynamic_;
  Bytes symbols_;     ///< from the first to the end of the segment's bytes: the table does not say its own size
  Bytes versions_;    ///< DT_VERSYM, likewise
  uint64_t count_{};  ///< as far as the hash tables say
  uint32_t last_version_ = 1;
};

}  // namespace cuzk
