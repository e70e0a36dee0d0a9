#pragma once
#include "formats/bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/formats/byte_sink.hpp>

namespace cuzk::formats {

/// Writes iden3's binary container (bin_file.hpp) into a sink: the lead, then sections of lengths known beforehand.
class BinWriter {
 public:
  BinWriter(const ByteSink& sink, std::string_view magic, uint32_t version, uint32_t sections) : sink_(sink) {
    buffer_.reserve(kBuffer);
    bytes(std::as_bytes(std::span(magic)));
    value(version);
    value(sections);
  }

  /// length: exactly what is put before the next section or finish().
  void section(uint32_t id, uint64_t length) {
    expect_section_end();
    value(id);
    value(length);
    section_ = id;
    end_ = written_ + length;
  }
  template <class T>
  void value(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void bytes(std::span<const std::byte> bytes) {
    written_ += bytes.size();
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() >= kBuffer) {
      for (; !bytes.empty(); bytes = bytes.subspan(std::min(kBuffer, bytes.size()))) {
        sink_(bytes.first(std::min(kBuffer, bytes.size())));
      }
      return;
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void finish() {
    expect_section_end();
    flush();
  }

 private:
  static constexpr size_t kBuffer = size_t{1} << 20;

  void expect_section_end() const {
    if (end_ == 0 || written_ == end_) return;
    throw Error(ErrorCode::internal, "section " + std::to_string(section_) + ": " + std::to_string(written_) +
                                         " bytes written, expected " + std::to_string(end_));
  }
  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

  const ByteSink& sink_;
  std::vector<std::byte> buffer_;
  uint64_t written_ = 0, end_ = 0;
  uint32_t section_ = 0;
};

/// A count as the formats store it. Error usage: too many.
inline uint32_t u32_count(const std::string& name, const char* things, uint64_t count) {
  if (count <= UINT32_MAX) return static_cast<uint32_t>(count);
  throw Error(ErrorCode::usage, name + ": found " + std::to_string(count) + " " + things +
                                    ", expected at most 4294967295, the format's most");
}

}  // namespace cuzk::formats
