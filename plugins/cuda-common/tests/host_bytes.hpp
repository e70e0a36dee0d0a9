#pragma once
#include "../cuda/device.hpp"
#include "parallel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>

namespace cuzk::cuda {

/// Whole pages of host memory, touched by many threads; page-locked where asked for.
class HostBytes {
 public:
  static constexpr uint64_t kPage = 4096;

  explicit HostBytes(uint64_t bytes, bool pinned = false)
      : bytes_((bytes / kPage + 1) * kPage),
        data_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        pinned_(pinned) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    fill(0);
    if (pinned_) CudaDevice::pin({data(), bytes_});
  }
  ~HostBytes() {
    if (pinned_) CudaDevice::unpin(data_);
    ::munmap(data_, bytes_);
  }
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  uint64_t size() const { return bytes_; }
  /// Bytes that differ from place to place and from seed to seed.
  void fill(uint64_t seed) {
    parallel(bytes_ / 8, 512, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) {
        const uint64_t word = (i + 1) * 0x9e3779b97f4a7c15 + (seed + 1) * 0xbf58476d1ce4e5b9;
        std::memcpy(data() + 8 * i, &word, 8);
      }
    });
  }

 private:
  uint64_t bytes_;
  void* data_;
  bool pinned_;
};

}  // namespace cuzk::cuda
