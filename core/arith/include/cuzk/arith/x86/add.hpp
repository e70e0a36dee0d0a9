#pragma once
/// Carry chains of four and six limbs in plain x86-64, which compilers do not find by themselves. The operand
/// "m"(b) tells the compiler what is read through the pointer.

#include <cuzk/arith/limbs.hpp>

namespace cuzk::arith::x86 {

/// a + b; the sum must fit.
inline LimbArray<4> add(LimbArray<4> a, const LimbArray<4>& b) {
  __asm__(
      "addq (%4), %0\n\t"
      "adcq 8(%4), %1\n\t"
      "adcq 16(%4), %2\n\t"
      "adcq 24(%4), %3"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3])
      : "r"(b.data()), "m"(b)
      : "cc");
  return a;
}

inline LimbArray<6> add(LimbArray<6> a, const LimbArray<6>& b) {
  __asm__(
      "addq (%6), %0\n\t"
      "adcq 8(%6), %1\n\t"
      "adcq 16(%6), %2\n\t"
      "adcq 24(%6), %3\n\t"
      "adcq 32(%6), %4\n\t"
      "adcq 40(%6), %5"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "+&r"(a[4]), "+&r"(a[5])
      : "r"(b.data()), "m"(b)
      : "cc");
  return a;
}

/// a -= b; all ones if it borrowed, else 0.
inline std::uint64_t sub(LimbArray<4>& a, const LimbArray<4>& b) {
  std::uint64_t mask;
  __asm__(
      "subq (%5), %0\n\t"
      "sbbq 8(%5), %1\n\t"
      "sbbq 16(%5), %2\n\t"
      "sbbq 24(%5), %3\n\t"
      "sbbq %4, %4"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "=&r"(mask)
      : "r"(b.data()), "m"(b)
      : "cc");
  return mask;
}

inline std::uint64_t sub(LimbArray<6>& a, const LimbArray<6>& b) {
  std::uint64_t mask;
  __asm__(
      "subq (%7), %0\n\t"
      "sbbq 8(%7), %1\n\t"
      "sbbq 16(%7), %2\n\t"
      "sbbq 24(%7), %3\n\t"
      "sbbq 32(%7), %4\n\t"
      "sbbq 40(%7), %5\n\t"
      "sbbq %6, %6"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "+&r"(a[4]), "+&r"(a[5]), "=&r"(mask)
      : "r"(b.data()), "m"(b)
      : "cc");
  return mask;
}

/// a - b if a >= b, else a.
inline LimbArray<4> subtract_if_not_less(const LimbArray<4>& a, const LimbArray<4>& b) {
  LimbArray<4> r = a;
  __asm__(
      "subq (%4), %0\n\t"
      "sbbq 8(%4), %1\n\t"
      "sbbq 16(%4), %2\n\t"
      "sbbq 24(%4), %3\n\t"
      "cmovcq %5, %0\n\t"
      "cmovcq %6, %1\n\t"
      "cmovcq %7, %2\n\t"
      "cmovcq %8, %3"
      : "+&r"(r[0]), "+&r"(r[1]), "+&r"(r[2]), "+&r"(r[3])
      : "r"(b.data()), "rm"(a[0]), "rm"(a[1]), "rm"(a[2]), "rm"(a[3]), "m"(b)
      : "cc");
  return r;
}

inline LimbArray<6> subtract_if_not_less(const LimbArray<6>& a, const LimbArray<6>& b) {
  LimbArray<6> r = a;
  __asm__(
      "subq (%6), %0\n\t"
      "sbbq 8(%6), %1\n\t"
      "sbbq 16(%6), %2\n\t"
      "sbbq 24(%6), %3\n\t"
      "sbbq 32(%6), %4\n\t"
      "sbbq 40(%6), %5\n\t"
      "cmovcq %7, %0\n\t"
      "cmovcq %8, %1\n\t"
      "cmovcq %9, %2\n\t"
      "cmovcq %10, %3\n\t"
      "cmovcq %11, %4\n\t"
      "cmovcq %12, %5"
      : "+&r"(r[0]), "+&r"(r[1]), "+&r"(r[2]), "+&r"(r[3]), "+&r"(r[4]), "+&r"(r[5])
      : "r"(b.data()), "rm"(a[0]), "rm"(a[1]), "rm"(a[2]), "rm"(a[3]), "rm"(a[4]), "rm"(a[5]), "m"(b)
      : "cc");
  return r;
}

/// b - a for 0 < a <= b, 0 for a = 0.
inline LimbArray<4> subtract_unless_zero(const LimbArray<4>& b, const LimbArray<4>& a) {
  LimbArray<4> r = b;
  const std::uint64_t any = a[0] | a[1] | a[2] | a[3];
  __asm__(
      "subq (%4), %0\n\t"
      "sbbq 8(%4), %1\n\t"
      "sbbq 16(%4), %2\n\t"
      "sbbq 24(%4), %3\n\t"
      "testq %5, %5\n\t"
      "cmovzq %5, %0\n\t"
      "cmovzq %5, %1\n\t"
      "cmovzq %5, %2\n\t"
      "cmovzq %5, %3"
      : "+&r"(r[0]), "+&r"(r[1]), "+&r"(r[2]), "+&r"(r[3])
      : "r"(a.data()), "r"(any), "m"(a)
      : "cc");
  return r;
}

inline LimbArray<6> subtract_unless_zero(const LimbArray<6>& b, const LimbArray<6>& a) {
  LimbArray<6> r = b;
  const std::uint64_t any = a[0] | a[1] | a[2] | a[3] | a[4] | a[5];
  __asm__(
      "subq (%6), %0\n\t"
      "sbbq 8(%6), %1\n\t"
      "sbbq 16(%6), %2\n\t"
      "sbbq 24(%6), %3\n\t"
      "sbbq 32(%6), %4\n\t"
      "sbbq 40(%6), %5\n\t"
      "testq %7, %7\n\t"
      "cmovzq %7, %0\n\t"
      "cmovzq %7, %1\n\t"
      "cmovzq %7, %2\n\t"
      "cmovzq %7, %3\n\t"
      "cmovzq %7, %4\n\t"
      "cmovzq %7, %5"
      : "+&r"(r[0]), "+&r"(r[1]), "+&r"(r[2]), "+&r"(r[3]), "+&r"(r[4]), "+&r"(r[5])
      : "r"(a.data()), "r"(any), "m"(a)
      : "cc");
  return r;
}

}  // namespace cuzk::arith::x86
