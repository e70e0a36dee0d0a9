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

/// a - b; mask becomes all ones if that borrowed, else 0.
inline LimbArray<4> sub(LimbArray<4> a, const LimbArray<4>& b, std::uint64_t& mask) {
  __asm__(
      "subq (%5), %0\n\t"
      "sbbq 8(%5), %1\n\t"
      "sbbq 16(%5), %2\n\t"
      "sbbq 24(%5), %3\n\t"
      "sbbq %4, %4"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "=&r"(mask)
      : "r"(b.data()), "m"(b)
      : "cc");
  return a;
}

inline LimbArray<6> sub(LimbArray<6> a, const LimbArray<6>& b, std::uint64_t& mask) {
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
  return a;
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
inline LimbArray<4> subtract_unless_zero(LimbArray<4> b, const LimbArray<4>& a) {
  [[maybe_unused]] std::uint64_t any = 0;
  __asm__(
      "movq (%5), %4\n\t"
      "orq 8(%5), %4\n\t"
      "orq 16(%5), %4\n\t"
      "orq 24(%5), %4\n\t"
      "subq (%5), %0\n\t"
      "sbbq 8(%5), %1\n\t"
      "sbbq 16(%5), %2\n\t"
      "sbbq 24(%5), %3\n\t"
      "testq %4, %4\n\t"
      "cmovzq %4, %0\n\t"
      "cmovzq %4, %1\n\t"
      "cmovzq %4, %2\n\t"
      "cmovzq %4, %3"
      : "+&r"(b[0]), "+&r"(b[1]), "+&r"(b[2]), "+&r"(b[3]), "=&r"(any)
      : "r"(a.data()), "m"(a)
      : "cc");
  return b;
}

inline LimbArray<6> subtract_unless_zero(LimbArray<6> b, const LimbArray<6>& a) {
  [[maybe_unused]] std::uint64_t any = 0;
  __asm__(
      "movq (%7), %6\n\t"
      "orq 8(%7), %6\n\t"
      "orq 16(%7), %6\n\t"
      "orq 24(%7), %6\n\t"
      "orq 32(%7), %6\n\t"
      "orq 40(%7), %6\n\t"
      "subq (%7), %0\n\t"
      "sbbq 8(%7), %1\n\t"
      "sbbq 16(%7), %2\n\t"
      "sbbq 24(%7), %3\n\t"
      "sbbq 32(%7), %4\n\t"
      "sbbq 40(%7), %5\n\t"
      "testq %6, %6\n\t"
      "cmovzq %6, %0\n\t"
      "cmovzq %6, %1\n\t"
      "cmovzq %6, %2\n\t"
      "cmovzq %6, %3\n\t"
      "cmovzq %6, %4\n\t"
      "cmovzq %6, %5"
      : "+&r"(b[0]), "+&r"(b[1]), "+&r"(b[2]), "+&r"(b[3]), "+&r"(b[4]), "+&r"(b[5]), "=&r"(any)
      : "r"(a.data()), "m"(a)
      : "cc");
  return b;
}

/// a + b where mask is all ones, a where it is 0. b must be a constant in memory: the compiler is not told that
/// it is read, which spares a register where six limbs leave none.
inline LimbArray<4> add_masked(LimbArray<4> a, std::uint64_t mask, const LimbArray<4>& b) {
  [[maybe_unused]] std::uint64_t t0 = 0, t1 = 0, t2 = 0;
  __asm__(
      "movq 0(%8), %4\n\t"
      "movq 8(%8), %5\n\t"
      "movq 16(%8), %6\n\t"
      "andq %7, %4\n\t"
      "andq %7, %5\n\t"
      "andq %7, %6\n\t"
      "andq 24(%8), %7\n\t"
      "addq %4, %0\n\t"
      "adcq %5, %1\n\t"
      "adcq %6, %2\n\t"
      "adcq %7, %3"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "=&r"(t0), "=&r"(t1), "=&r"(t2), "+&r"(mask)
      : "r"(b.data())
      : "cc");
  return a;
}

inline LimbArray<6> add_masked(LimbArray<6> a, std::uint64_t mask, const LimbArray<6>& b) {
  [[maybe_unused]] std::uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
  __asm__(
      "movq 0(%12), %6\n\t"
      "movq 8(%12), %7\n\t"
      "movq 16(%12), %8\n\t"
      "movq 24(%12), %9\n\t"
      "movq 32(%12), %10\n\t"
      "andq %11, %6\n\t"
      "andq %11, %7\n\t"
      "andq %11, %8\n\t"
      "andq %11, %9\n\t"
      "andq %11, %10\n\t"
      "andq 40(%12), %11\n\t"
      "addq %6, %0\n\t"
      "adcq %7, %1\n\t"
      "adcq %8, %2\n\t"
      "adcq %9, %3\n\t"
      "adcq %10, %4\n\t"
      "adcq %11, %5"
      : "+&r"(a[0]), "+&r"(a[1]), "+&r"(a[2]), "+&r"(a[3]), "+&r"(a[4]), "+&r"(a[5]), "=&r"(t0), "=&r"(t1), "=&r"(t2),
        "=&r"(t3), "=&r"(t4), "+&r"(mask)
      : "r"(b.data())
      : "cc");
  return a;
}

}  // namespace cuzk::arith::x86
