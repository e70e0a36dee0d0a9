#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk::formats {

/// CRC-32 of the CRC-32s (IEEE 802.3) of all blocks of 1 MiB, which are computed on all threads: finds damage, not
/// forgery. Independent of the number of threads.
uint32_t checksum(CpuPool&, std::span<const std::byte>);
/// Of all that a circuit is, apart from its name.
uint32_t checksum(CpuPool&, const Circuit&);
/// Eight hexadecimal digits.
std::string checksum_text(uint32_t);

}  // namespace cuzk::formats
