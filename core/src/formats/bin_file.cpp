#include "formats/bin_file.hpp"

#include "formats/bytes.hpp"
#include "formats/counted.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <cuzk/error.hpp>

namespace cuzk::formats {
namespace {

constexpr uint64_t kLeadBytes = 12;    // magic, version, section count
constexpr uint64_t kHeaderBytes = 12;  // id, length
// Real files have about ten; without a limit, a large file of empty ones takes long.
constexpr uint32_t kMostSections = 1024;

std::string section_text(const SectionName& name) {
  return "section " + std::to_string(name.id) + " (" + std::string(name.name) + ")";
}

}  // namespace

std::string show_magic(std::span<const std::byte> magic) {
  const auto* text = reinterpret_cast<const char*>(magic.data());
  if (std::all_of(text, text + magic.size(), [](unsigned char c) { return std::isprint(c) != 0; })) {
    return '"' + std::string(text, magic.size()) + '"';
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string shown = "bytes";
  for (const std::byte b : magic) {
    shown += ' ';
    shown += kDigits[std::to_integer<unsigned>(b) >> 4];
    shown += kDigits[std::to_integer<unsigned>(b) & 15U];
  }
  return shown;
}

void Section::expect_items(uint64_t count, uint64_t item_bytes, uint64_t lead) const {
  // Compared by division: a count that a file claims must not overflow.
  const uint64_t found = bytes_.size();
  if (found >= lead && (found - lead) % item_bytes == 0 && (found - lead) / item_bytes == count) return;
  const std::string items = std::to_string(count) + " x " + std::to_string(item_bytes);
  fail(0, "found " + counted(found, "byte") + ", expected " + (lead > 0 ? std::to_string(lead) + " + " : "") + items);
}

void Section::fail(uint64_t at, const std::string& message) const {
  throw Error(ErrorCode::bad_input, where_ + ", offset " + std::to_string(offset_ + at) + ": " + message);
}

uint32_t SectionReader::u32(std::string_view field) { return load<uint32_t>(bytes(sizeof(uint32_t), field).data()); }

uint64_t SectionReader::u64(std::string_view field) { return load<uint64_t>(bytes(sizeof(uint64_t), field).data()); }

std::span<const std::byte> SectionReader::bytes(uint64_t count, std::string_view field) {
  last_ = position_;
  if (remaining() < count) {
    fail(std::string(field) + ": found " + counted(remaining(), "byte") + " before the section's end, expected " +
         std::to_string(count));
  }
  position_ += count;
  return section_.bytes().subspan(last_, count);
}

void SectionReader::expect_end() const {
  if (remaining() == 0) return;
  section_.fail(position_, "found " + counted(remaining(), "byte") + ", expected the section's end");
}

BinFile::BinFile(std::shared_ptr<const MappedFile> file, const BinFormat& format)
    : file_(std::move(file)), names_(format.sections) {
  const auto bytes = file_->bytes();
  if (bytes.size() < kLeadBytes) {
    fail("found " + counted(bytes.size(), "byte") + ", expected a header of " + std::to_string(kLeadBytes));
  }
  const auto magic = bytes.first(format.magic.size());
  if (!std::equal(magic.begin(), magic.end(), reinterpret_cast<const std::byte*>(format.magic.data()))) {
    fail("offset 0: found magic " + show_magic(magic) + ", expected \"" + std::string(format.magic) + '"');
  }
  if (const auto version = load<uint32_t>(&bytes[4]); version != format.version) {
    fail("offset 4: found version " + std::to_string(version) + ", expected " + std::to_string(format.version));
  }
  read_sections();
}

void BinFile::read_sections() {
  const auto bytes = file_->bytes();
  const auto count = load<uint32_t>(&bytes[8]);
  if (count > kMostSections) {
    fail("offset 8: found " + std::to_string(count) + " sections, expected at most " + std::to_string(kMostSections));
  }
  uint64_t offset = kLeadBytes;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t left = bytes.size() - offset;
    if (left < kHeaderBytes) {
      fail("offset " + std::to_string(offset) + ": found " + counted(left, "byte") +
           ", expected the header of section " + std::to_string(i + 1) + " of " + std::to_string(count));
    }
    const auto id = load<uint32_t>(&bytes[offset]);
    const auto length = load<uint64_t>(&bytes[offset + 4]);
    const auto name = std::find_if(names_.begin(), names_.end(), [&](const SectionName& n) { return n.id == id; });
    const auto text = [&] { return name == names_.end() ? "section " + std::to_string(id) : section_text(*name); };
    offset += kHeaderBytes;
    if (length > left - kHeaderBytes) {
      fail(text() + ", offset " + std::to_string(offset) + ": found " + counted(left - kHeaderBytes, "byte") +
           " before the file's end, expected " + std::to_string(length));
    }
    if (name != names_.end()) {
      if (std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.id == id; })) {
        fail(text() + ", offset " + std::to_string(offset) + ": found a second time, expected once");
      }
      entries_.push_back({id, Section(path() + ": " + text(), offset, bytes.subspan(offset, length))});
    }
    offset += length;
  }
}

const Section* BinFile::find(uint32_t id) const {
  for (const Entry& entry : entries_) {
    if (entry.id == id) return &entry.section;
  }
  return nullptr;
}

const Section& BinFile::section(uint32_t id) const {
  if (const Section* found = find(id)) return *found;
  fail(name(id) + " is missing");
}

std::string BinFile::name(uint32_t id) const {
  for (const SectionName& name : names_) {
    if (name.id == id) return section_text(name);
  }
  throw Error(ErrorCode::internal,
              path() + ": the reader asks for section " + std::to_string(id) + ", which it does not name");
}

void BinFile::fail(const std::string& message) const { throw Error(ErrorCode::bad_input, path() + ": " + message); }

}  // namespace cuzk::formats
