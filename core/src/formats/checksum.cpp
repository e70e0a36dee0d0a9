#include "formats/checksum.hpp"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <vector>

namespace cuzk::formats {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

uint32_t crc(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

uint32_t checksum(CpuPool& pool, std::span<const std::byte> bytes) {
  std::vector<uint32_t> blocks((bytes.size() + kBlock - 1) / kBlock);
  pool.parallel(blocks.size(), [&](uint64_t i) {
    const size_t begin = i * kBlock;
    blocks[i] = crc(bytes.subspan(begin, std::min(kBlock, bytes.size() - begin)));
  });
  return crc(bytes_of(blocks));
}

uint32_t checksum(CpuPool& pool, const Circuit& circuit) {
  std::vector<uint64_t> parts{static_cast<uint64_t>(circuit.curve), circuit.variables, circuit.publics};
  const auto add = [&](const auto& values) {
    parts.push_back(values.size());
    parts.push_back(checksum(pool, bytes_of(values)));
  };
  add(circuit.dictionary);
  for (const SparseMatrix* matrix : {&circuit.a, &circuit.b, &circuit.c}) {
    add(matrix->row_begin);
    add(matrix->columns);
    add(matrix->coefficients);
  }
  return crc(bytes_of(parts));
}

std::string checksum_text(uint32_t value) {
  constexpr std::array<char, 17> kDigits{"0123456789abcdef"};
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 15];
  return text;
}

}  // namespace cuzk::formats
