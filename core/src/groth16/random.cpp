#include "groth16/random.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/random.h>

#include <cuzk/error.hpp>

namespace cuzk::groth16 {
namespace {

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace

void fill(const RandomSource& source, std::span<std::byte> bytes) {
  std::ptrdiff_t got = -1;
  do {
    got = source(bytes.data(), bytes.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    throw Error(ErrorCode::internal, std::string("random source: ") + std::strerror(errno));
  }
  if (static_cast<size_t>(got) != bytes.size()) {
    throw Error(ErrorCode::internal,
                "random source: found " + std::to_string(got) + " bytes, expected " + std::to_string(bytes.size()));
  }
}

RandomSource system_random() {
  return [](void* dst, size_t bytes) -> std::ptrdiff_t { return getrandom(dst, bytes, 0); };
}

RandomSource insecure_random(uint64_t seed) {
  return [generator = SplitMix64(seed)](void* dst, size_t bytes) mutable -> std::ptrdiff_t {
    auto* out = static_cast<unsigned char*>(dst);
    uint64_t word = 0;
    for (size_t i = 0; i < bytes; ++i) {
      if (i % 8 == 0) word = generator.next();
      out[i] = static_cast<unsigned char>(word >> (8 * (i % 8)));
    }
    return static_cast<std::ptrdiff_t>(bytes);
  };
}

uint64_t stream_seed(uint64_t seed, uint64_t stream) {
  return SplitMix64(SplitMix64(seed).next() ^ SplitMix64(~stream).next()).next();
}

arith::LimbArray<4> random_scalar(const RandomSource& source, const arith::LimbArray<4>& modulus) {
  const size_t spare = 256 - arith::limbs::bit_length(modulus);  // both scalar fields leave one or two bits
  for (;;) {
    std::array<unsigned char, 32> bytes{};
    fill(source, std::as_writable_bytes(std::span(bytes)));
    arith::LimbArray<4> value{};
    for (size_t i = 0; i < bytes.size(); ++i) value[i / 8] |= static_cast<uint64_t>(bytes[i]) << (8 * (i % 8));
    value[3] &= ~uint64_t{0} >> spare;
    if (arith::limbs::less(value, modulus)) return value;
  }
}

}  // namespace cuzk::groth16
