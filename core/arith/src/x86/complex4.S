// Products in the quadratic extension u^2 = -1, four limbs: Karatsuba on unreduced 8-word products, two reductions.
// D. Aranha, K. Karabina, P. Longa, C. Gebotys, J. Lopez, "Faster explicit formulas for computing pairings over ordinary
// curves" (EUROCRYPT 2011), section 4 (lazy reduction).
#if defined(__x86_64__) && defined(__ELF__)
#include "rows4.inc"

// (rdi)[8] = (rsi)[4] * (rbx)[4]; changes rax, rbp, rdx, r8 to r12.
FUNCTION cuzk_arith_wide4
  movq 0(%rsi), %rdx
  MULTIPLY4 %rbx, %r8, %r9, %r10, %r11, %r12
  movq %r8, 0(%rdi)
  xorq %r8, %r8
  movq 8(%rsi), %rdx
  ACCUMULATE4 %rbx, %r9, %r10, %r11, %r12, %r8
  movq %r9, 8(%rdi)
  xorq %r9, %r9
  movq 16(%rsi), %rdx
  ACCUMULATE4 %rbx, %r10, %r11, %r12, %r8, %r9
  movq %r10, 16(%rdi)
  xorq %r10, %r10
  movq 24(%rsi), %rdx
  ACCUMULATE4 %rbx, %r11, %r12, %r8, %r9, %r10
  movq %r11, 24(%rdi)
  movq %r12, 32(%rdi)
  movq %r8, 40(%rdi)
  movq %r9, 48(%rdi)
  movq %r10, 56(%rdi)
  ret
END_FUNCTION cuzk_arith_wide4

// (rdi)[4] = (2^256 (rsi)[4] + r11:r8) / 2^256 mod p for a value below 2^256 p, with the modulus at rcx; changes all but
// rdi, rcx.
FUNCTION cuzk_arith_redc4
  xorq %r12, %r12
  movq %rsi, %r15
  REDUCE4 %rcx, %r8, %r9, %r10, %r11, %r12
  REDUCE4 %rcx, %r9, %r10, %r11, %r12, %r8
  REDUCE4 %rcx, %r10, %r11, %r12, %r8, %r9
  REDUCE4 %rcx, %r11, %r12, %r8, %r9, %r10
  addq 0(%r15), %r12
  adcq 8(%r15), %r8
  adcq 16(%r15), %r9
  adcq 24(%r15), %r10
  STORE_REDUCED4 %rdi, %rcx, %r12, %r8, %r9, %r10, %rax, %rdx, %rsi, %rbx
  ret
END_FUNCTION cuzk_arith_redc4

// void cuzk_arith_complex4(u64 c0[4], u64 c1[4], const u64 a0[4], const u64 a1[4], const u64 b0[4], const u64 b1[4],
//                          const u64 modulus[5]): 88 word products.
// On the stack: a0 b0, a1 b1, (a0 + a1)(b0 + b1), a0 + a1, b0 + b1.
FUNCTION cuzk_arith_complex4
  SAVE rbx, rbp, r12, r13, r14, r15, rdi, rsi, rdx, rcx, r8, r9
  subq $256, %rsp
  .cfi_adjust_cfa_offset 256
  movq 0(%rdx), %rax
  addq 0(%rcx), %rax
  movq %rax, 192(%rsp)
  movq 8(%rdx), %rax
  adcq 8(%rcx), %rax
  movq %rax, 200(%rsp)
  movq 16(%rdx), %rax
  adcq 16(%rcx), %rax
  movq %rax, 208(%rsp)
  movq 24(%rdx), %rax
  adcq 24(%rcx), %rax
  movq %rax, 216(%rsp)
  movq 0(%r8), %rax
  addq 0(%r9), %rax
  movq %rax, 224(%rsp)
  movq 8(%r8), %rax
  adcq 8(%r9), %rax
  movq %rax, 232(%rsp)
  movq 16(%r8), %rax
  adcq 16(%r9), %rax
  movq %rax, 240(%rsp)
  movq 24(%r8), %rax
  adcq 24(%r9), %rax
  movq %rax, 248(%rsp)
  leaq 192(%rsp), %rsi
  leaq 224(%rsp), %rbx
  leaq 128(%rsp), %rdi
  call cuzk_arith_wide4
  movq 280(%rsp), %rsi
  movq 264(%rsp), %rbx
  leaq 0(%rsp), %rdi
  call cuzk_arith_wide4
  movq 272(%rsp), %rsi
  movq 256(%rsp), %rbx
  leaq 64(%rsp), %rdi
  call cuzk_arith_wide4
  movq 360(%rsp), %rcx
  // c1 = (a0 + a1)(b0 + b1) - a0 b0 - a1 b1, never negative.
  movq 128(%rsp), %r8
  subq 0(%rsp), %r8
  movq 136(%rsp), %r9
  sbbq 8(%rsp), %r9
  movq 144(%rsp), %r10
  sbbq 16(%rsp), %r10
  movq 152(%rsp), %r11
  sbbq 24(%rsp), %r11
  movq 160(%rsp), %rax
  sbbq 32(%rsp), %rax
  movq 168(%rsp), %rdx
  sbbq 40(%rsp), %rdx
  movq 176(%rsp), %rsi
  sbbq 48(%rsp), %rsi
  movq 184(%rsp), %rdi
  sbbq 56(%rsp), %rdi
  subq 64(%rsp), %r8
  sbbq 72(%rsp), %r9
  sbbq 80(%rsp), %r10
  sbbq 88(%rsp), %r11
  sbbq 96(%rsp), %rax
  sbbq 104(%rsp), %rdx
  sbbq 112(%rsp), %rsi
  sbbq 120(%rsp), %rdi
  movq %rax, 160(%rsp)
  movq %rdx, 168(%rsp)
  movq %rsi, 176(%rsp)
  movq %rdi, 184(%rsp)
  leaq 160(%rsp), %rsi
  movq 288(%rsp), %rdi
  call cuzk_arith_redc4
  // c0 = a0 b0 - a1 b1, plus 2^256 p where that is negative.
  movq 0(%rsp), %r8
  subq 64(%rsp), %r8
  movq 8(%rsp), %r9
  sbbq 72(%rsp), %r9
  movq 16(%rsp), %r10
  sbbq 80(%rsp), %r10
  movq 24(%rsp), %r11
  sbbq 88(%rsp), %r11
  movq 32(%rsp), %rax
  sbbq 96(%rsp), %rax
  movq 40(%rsp), %rdx
  sbbq 104(%rsp), %rdx
  movq 48(%rsp), %rsi
  sbbq 112(%rsp), %rsi
  movq 56(%rsp), %rdi
  sbbq 120(%rsp), %rdi
  sbbq %r12, %r12
  movq %rax, 32(%rsp)
  movq %rdx, 40(%rsp)
  movq %rsi, 48(%rsp)
  movq %rdi, 56(%rsp)
  movq 0(%rcx), %rax
  andq %r12, %rax
  movq 8(%rcx), %rdx
  andq %r12, %rdx
  movq 16(%rcx), %rsi
  andq %r12, %rsi
  movq 24(%rcx), %rdi
  andq %r12, %rdi
  addq %rax, 32(%rsp)
  adcq %rdx, 40(%rsp)
  adcq %rsi, 48(%rsp)
  adcq %rdi, 56(%rsp)
  leaq 32(%rsp), %rsi
  movq 296(%rsp), %rdi
  call cuzk_arith_redc4
  addq $304, %rsp
  .cfi_adjust_cfa_offset -304
  RESTORE r15, r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_complex4
#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
