#pragma once
/// iden3's binary container: magic (4 bytes), u32 version, u32 section count, then {u32 id, u64 length, payload}.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/formats/mapped_file.hpp>

namespace cuzk::formats {

struct SectionName {
  uint32_t id;
  std::string_view name;
};

/// What a reader knows of its format. Sections that are not named are skipped.
struct BinFormat {
  std::string_view magic;  ///< four characters
  uint32_t version;
  std::span<const SectionName> sections;
};

/// The first bytes of a file as text where they are text, else in hexadecimal.
std::string show_magic(std::span<const std::byte> magic);

/// One section of a mapped file; borrows the file's bytes.
class Section {
 public:
  Section(std::string where, uint64_t offset, std::span<const std::byte> bytes)
      : where_(std::move(where)), offset_(offset), bytes_(bytes) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Error bad_input unless the section holds exactly `count` items of `item_bytes` after `lead` bytes.
  void expect_items(uint64_t count, uint64_t item_bytes, uint64_t lead = 0) const;
  /// Error bad_input: file, section, offset in the file of byte `at` of the section, then the message.
  [[noreturn]] void fail(uint64_t at, const std::string& message) const;

 private:
  std::string where_;
  uint64_t offset_;
  std::span<const std::byte> bytes_;
};

/// Reads a section's fields in order; every read beyond its end is an error that names the field.
class SectionReader {
 public:
  explicit SectionReader(const Section& section) : section_(section) {}

  uint32_t u32(std::string_view field);
  uint64_t u64(std::string_view field);
  std::span<const std::byte> bytes(uint64_t count, std::string_view field);
  uint64_t position() const { return position_; }
  uint64_t remaining() const { return section_.bytes().size() - position_; }
  void expect_end() const;
  /// Error about the field that was read last.
  [[noreturn]] void fail(const std::string& message) const { section_.fail(last_, message); }

 private:
  const Section& section_;
  uint64_t position_ = 0, last_ = 0;
};

/// A mapped file of this container. Construction checks magic, version and that all sections lie within the file, and
/// refuses a named section that stands there twice and more sections than any such file has. Keeps no more than the
/// named ones, whatever the file claims to hold.
class BinFile {
 public:
  BinFile(std::shared_ptr<const MappedFile> file, const BinFormat& format);

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }
  /// Error bad_input when the file has no such section. `id` is one of the format's.
  const Section& section(uint32_t id) const;
  /// The same for a section that may be missing: null.
  const Section* find(uint32_t id) const;
  /// "section 5 (A)"; `id` is one of the format's.
  std::string name(uint32_t id) const;

 private:
  struct Entry {
    uint32_t id;
    Section section;
  };
  void read_sections();
  [[noreturn]] void fail(const std::string& message) const;

  std::shared_ptr<const MappedFile> file_;
  std::vector<Entry> entries_;
  std::span<const SectionName> names_;
};

}  // namespace cuzk::formats
