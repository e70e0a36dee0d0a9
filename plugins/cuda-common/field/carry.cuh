#pragma once
/// 32-bit words with the carry flag: PTX on a device; in a plain C++ compiler the same operations on a variable, so
/// that everything above them can be tested without a device.

#include <cstdint>

#if defined(__CUDACC__)
#define CUZK_DEVICE __device__ __forceinline__
#define CUZK_DEVICE_CALL __device__ __noinline__
#define CUZK_UNROLL _Pragma("unroll")
#define CUZK_NO_UNROLL _Pragma("unroll 1")
#else
#define CUZK_DEVICE inline
#define CUZK_DEVICE_CALL inline
#define CUZK_UNROLL
#define CUZK_NO_UNROLL
#endif

namespace cuzk::cuda {

#if defined(__CUDACC__)
/// Whether any lane of the warp says yes; also brings the warp's lanes, all of which must come here, back in step.
CUZK_DEVICE bool any_lane(bool own) { return __any_sync(0xffffffffU, own) != 0; }
#else
inline bool any_lane(bool own) { return own; }
#endif

/// Suffix _cc: sets the flag. add, mad, sub begin a chain; addc, madc, subc add (subtract) the flag. lo and hi: that
/// half of the product a * b, to which c is added. Statements of a chain stand next to each other: what lies between
/// must not touch the flag.
#if defined(__CUDACC__)
#define CUZK_CARRY_OP2(name, instruction)                                    \
  CUZK_DEVICE uint32_t name(uint32_t a, uint32_t b) {                        \
    uint32_t r;                                                              \
    asm volatile(instruction ".u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); \
    return r;                                                                \
  }
#define CUZK_CARRY_OP3(name, instruction)                                                \
  CUZK_DEVICE uint32_t name(uint32_t a, uint32_t b, uint32_t c) {                        \
    uint32_t r;                                                                          \
    asm volatile(instruction ".u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
    return r;                                                                            \
  }
CUZK_CARRY_OP2(add_cc, "add.cc")
CUZK_CARRY_OP2(addc_cc, "addc.cc")
CUZK_CARRY_OP2(addc, "addc")
CUZK_CARRY_OP2(sub_cc, "sub.cc")
CUZK_CARRY_OP2(subc_cc, "subc.cc")
CUZK_CARRY_OP2(subc, "subc")
CUZK_CARRY_OP3(mad_lo_cc, "mad.lo.cc")
CUZK_CARRY_OP3(madc_lo_cc, "madc.lo.cc")
CUZK_CARRY_OP3(madc_hi_cc, "madc.hi.cc")
CUZK_CARRY_OP3(madc_hi, "madc.hi")
#undef CUZK_CARRY_OP2
#undef CUZK_CARRY_OP3
CUZK_DEVICE uint32_t mul_lo(uint32_t a, uint32_t b) { return a * b; }
CUZK_DEVICE uint32_t mul_hi(uint32_t a, uint32_t b) { return __umulhi(a, b); }
/// -a, in a way that no assembler takes into a product, whose two halves would then be two instructions.
CUZK_DEVICE uint32_t negate(uint32_t a) {
  uint32_t r;
  asm volatile("{ .reg .u32 t; not.b32 t, %1; add.u32 %0, t, 1; }" : "=r"(r) : "r"(a));
  return r;
}
#else
inline thread_local uint32_t carry_flag = 0;  ///< 0 or 1; after a subtraction: the borrow

namespace detail {
inline uint32_t sum(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t t = a + b + c;
  carry_flag = static_cast<uint32_t>(t >> 32);
  return static_cast<uint32_t>(t);
}
inline uint32_t difference(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t t = a - b - c;
  carry_flag = static_cast<uint32_t>(t >> 32) & 1U;
  return static_cast<uint32_t>(t);
}
}  // namespace detail

inline uint32_t mul_lo(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b); }
inline uint32_t mul_hi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
inline uint32_t negate(uint32_t a) { return ~a + 1; }
inline uint32_t add_cc(uint32_t a, uint32_t b) { return detail::sum(a, b, 0); }
inline uint32_t addc_cc(uint32_t a, uint32_t b) { return detail::sum(a, b, carry_flag); }
inline uint32_t addc(uint32_t a, uint32_t b) { return a + b + carry_flag; }
inline uint32_t sub_cc(uint32_t a, uint32_t b) { return detail::difference(a, b, 0); }
inline uint32_t subc_cc(uint32_t a, uint32_t b) { return detail::difference(a, b, carry_flag); }
inline uint32_t subc(uint32_t a, uint32_t b) { return a - b - carry_flag; }
inline uint32_t mad_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return detail::sum(mul_lo(a, b), c, 0); }
inline uint32_t madc_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return detail::sum(mul_lo(a, b), c, carry_flag); }
inline uint32_t madc_hi_cc(uint32_t a, uint32_t b, uint32_t c) { return detail::sum(mul_hi(a, b), c, carry_flag); }
inline uint32_t madc_hi(uint32_t a, uint32_t b, uint32_t c) { return mul_hi(a, b) + c + carry_flag; }
#endif

}  // namespace cuzk::cuda
