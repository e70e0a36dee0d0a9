#pragma once
/// The kernels of src/x86: operands in Montgomery form below p, outputs may alias inputs, `modulus` is
/// { p[n], -p^-1 mod 2^64 }. Only to be called where cpu::adx_enabled().

#include <cstddef>
#include <cstdint>

extern "C" {
#define CUZK_ARITH_KERNEL [[gnu::visibility("hidden")]] void
CUZK_ARITH_KERNEL cuzk_arith_mul4(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
                                  const std::uint64_t* modulus);
CUZK_ARITH_KERNEL cuzk_arith_mul6(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
                                  const std::uint64_t* modulus);
CUZK_ARITH_KERNEL cuzk_arith_sqr4(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* modulus);
CUZK_ARITH_KERNEL cuzk_arith_sqr6(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* modulus);
/// a b + c d; 3 p must be below 2^(64 n).
CUZK_ARITH_KERNEL cuzk_arith_sum_of_products4(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
                                              const std::uint64_t* c, const std::uint64_t* d,
                                              const std::uint64_t* modulus);
CUZK_ARITH_KERNEL cuzk_arith_sum_of_products6(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
                                              const std::uint64_t* c, const std::uint64_t* d,
                                              const std::uint64_t* modulus);
/// c0 + c1 u = (a0 + a1 u)(b0 + b1 u), u^2 = -1.
CUZK_ARITH_KERNEL cuzk_arith_complex4(std::uint64_t* c0, std::uint64_t* c1, const std::uint64_t* a0,
                                      const std::uint64_t* a1, const std::uint64_t* b0, const std::uint64_t* b1,
                                      const std::uint64_t* modulus);
CUZK_ARITH_KERNEL cuzk_arith_complex6(std::uint64_t* c0, std::uint64_t* c1, const std::uint64_t* a0,
                                      const std::uint64_t* a1, const std::uint64_t* b0, const std::uint64_t* b1,
                                      const std::uint64_t* modulus);
#undef CUZK_ARITH_KERNEL
}

namespace cuzk::arith::x86 {

/// The kernels of N limbs under one name.
template <std::size_t N>
struct Adx;

template <>
struct Adx<4> {
  static constexpr auto* mul = &cuzk_arith_mul4;
  static constexpr auto* sqr = &cuzk_arith_sqr4;
  static constexpr auto* sum_of_products = &cuzk_arith_sum_of_products4;
  static constexpr auto* complex_product = &cuzk_arith_complex4;
};

template <>
struct Adx<6> {
  static constexpr auto* mul = &cuzk_arith_mul6;
  static constexpr auto* sqr = &cuzk_arith_sqr6;
  static constexpr auto* sum_of_products = &cuzk_arith_sum_of_products6;
  static constexpr auto* complex_product = &cuzk_arith_complex6;
};

}  // namespace cuzk::arith::x86
