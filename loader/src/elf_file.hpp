#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuzk {

using Bytes = std::span<const std::byte>;

/// Error bad_input: what is wrong with the file, without its name.
[[noreturn]] void bad_elf(const std::string& reason);

/// [offset, offset + size) of whole, or nothing when it lies beyond the end; free of overflow.
inline std::optional<Bytes> part(Bytes whole, uint64_t offset, uint64_t size) {
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

/// A table of records; what does not fill one is left out.
template <class Record>
std::vector<Record> records(Bytes table) {
  std::vector<Record> result(table.size() / sizeof(Record));
  if (!result.empty()) std::memcpy(result.data(), table.data(), result.size() * sizeof(Record));
  return result;
}

/// The ELF header and the program headers of a shared object for this machine. What the headers say is not checked.
struct ElfFile {
  Bytes bytes;  ///< the whole file; the caller's
  Elf64_Ehdr header;
  std::vector<Elf64_Phdr> segments;
};

/// Error bad_input when the bytes are no such file.
ElfFile read_elf(Bytes file);

/// Checks all that the dynamic linker takes on trust when it opens the file, so that a damaged one is refused and does
/// not end the process: segments, dynamic section, symbols, versions, relocations, and that the section headers, where
/// there are any, say the same. What damage in code or data does cannot be seen from here.
/// Error bad_input: the reason, without the file's name.
void check_loadable(Bytes file);

}  // namespace cuzk
