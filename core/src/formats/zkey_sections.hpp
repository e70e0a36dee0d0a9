#pragma once
#include <cstdint>

/// The sections of a .zkey.
namespace cuzk::formats::zkey {

inline constexpr uint32_t kProtocol = 1, kHeader = 2, kIc = 3, kCoefficients = 4, kA = 5, kB1 = 6, kB2 = 7, kC = 8,
                          kH = 9, kContributions = 10;
/// cuzk's own, "cuzk" in ASCII: text that says that the key's secrets are known. Other readers skip it.
inline constexpr uint32_t kInsecure = 0x6b7a7563;

}  // namespace cuzk::formats::zkey
