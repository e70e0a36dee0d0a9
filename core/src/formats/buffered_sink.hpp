#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <cuzk/formats/byte_sink.hpp>

namespace cuzk::formats {

/// Collects small values for a sink. Nothing is lost but by an exception: the writer ends with flush().
class BufferedSink {
 public:
  explicit BufferedSink(const ByteSink& sink) : sink_(sink) { buffer_.reserve(kBytes); }

  /// Room for so many bytes (at most 64 KiB), to be filled before the next call.
  std::byte* grow(size_t bytes) {
    if (buffer_.size() + bytes > kBytes) flush();
    buffer_.resize(buffer_.size() + bytes);
    return buffer_.data() + buffer_.size() - bytes;
  }
  /// The bytes of a value as they lie in memory.
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(grow(sizeof value), &value, sizeof value);
  }
  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 16;
  const ByteSink& sink_;
  std::vector<std::byte> buffer_;
};

}  // namespace cuzk::formats
