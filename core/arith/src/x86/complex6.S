// Products in the quadratic extension u^2 = -1, six limbs: Karatsuba on unreduced 12-word products, two reductions.
// D. Aranha, K. Karabina, P. Longa, C. Gebotys, J. Lopez, "Faster explicit formulas for computing pairings over ordinary
// curves" (EUROCRYPT 2011), section 4 (lazy reduction).
#if defined(__x86_64__) && defined(__ELF__)
#include "rows6.inc"

// (rdi)[12] = (rsi)[6] * (rbx)[6]; changes rax, rbp, rdx, r8 to r14.
FUNCTION cuzk_arith_wide6
  movq 0(%rsi), %rdx
  MULTIPLY6 %rbx, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  movq %r8, 0(%rdi)
  xorq %r8, %r8
  movq 8(%rsi), %rdx
  ACCUMULATE6 %rbx, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  movq %r9, 8(%rdi)
  xorq %r9, %r9
  movq 16(%rsi), %rdx
  ACCUMULATE6 %rbx, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  movq %r10, 16(%rdi)
  xorq %r10, %r10
  movq 24(%rsi), %rdx
  ACCUMULATE6 %rbx, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  movq %r11, 24(%rdi)
  xorq %r11, %r11
  movq 32(%rsi), %rdx
  ACCUMULATE6 %rbx, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  movq %r12, 32(%rdi)
  xorq %r12, %r12
  movq 40(%rsi), %rdx
  ACCUMULATE6 %rbx, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  movq %r13, 40(%rdi)
  movq %r14, 48(%rdi)
  movq %r8, 56(%rdi)
  movq %r9, 64(%rdi)
  movq %r10, 72(%rdi)
  movq %r11, 80(%rdi)
  movq %r12, 88(%rdi)
  ret
END_FUNCTION cuzk_arith_wide6

// (rdi)[6] = (2^384 (rsi)[6] + r13:r8) / 2^384 mod p for a value below 2^384 p, with the modulus at rcx; changes all but
// rdi, rcx.
FUNCTION cuzk_arith_redc6
  xorq %r14, %r14
  movq %rsi, %r15
  REDUCE6 %rcx, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  REDUCE6 %rcx, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  REDUCE6 %rcx, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  REDUCE6 %rcx, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  REDUCE6 %rcx, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  REDUCE6 %rcx, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  addq 0(%r15), %r14
  adcq 8(%r15), %r8
  adcq 16(%r15), %r9
  adcq 24(%r15), %r10
  adcq 32(%r15), %r11
  adcq 40(%r15), %r12
  STORE_REDUCED6 %rdi, %rcx, %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rdx, %rsi, %rbx, %rbp, %r15
  ret
END_FUNCTION cuzk_arith_redc6

// void cuzk_arith_complex6(u64 c0[6], u64 c1[6], const u64 a0[6], const u64 a1[6], const u64 b0[6], const u64 b1[6],
//                          const u64 modulus[7]): 192 word products.
// On the stack: a0 b0, a1 b1, (a0 + a1)(b0 + b1), a0 + a1, b0 + b1.
FUNCTION cuzk_arith_complex6
  SAVE rbx, rbp, r12, r13, r14, r15, rdi, rsi, rdx, rcx, r8, r9
  subq $384, %rsp
  .cfi_adjust_cfa_offset 384
  movq 0(%rdx), %rax
  addq 0(%rcx), %rax
  movq %rax, 288(%rsp)
  movq 8(%rdx), %rax
  adcq 8(%rcx), %rax
  movq %rax, 296(%rsp)
  movq 16(%rdx), %rax
  adcq 16(%rcx), %rax
  movq %rax, 304(%rsp)
  movq 24(%rdx), %rax
  adcq 24(%rcx), %rax
  movq %rax, 312(%rsp)
  movq 32(%rdx), %rax
  adcq 32(%rcx), %rax
  movq %rax, 320(%rsp)
  movq 40(%rdx), %rax
  adcq 40(%rcx), %rax
  movq %rax, 328(%rsp)
  movq 0(%r8), %rax
  addq 0(%r9), %rax
  movq %rax, 336(%rsp)
  movq 8(%r8), %rax
  adcq 8(%r9), %rax
  movq %rax, 344(%rsp)
  movq 16(%r8), %rax
  adcq 16(%r9), %rax
  movq %rax, 352(%rsp)
  movq 24(%r8), %rax
  adcq 24(%r9), %rax
  movq %rax, 360(%rsp)
  movq 32(%r8), %rax
  adcq 32(%r9), %rax
  movq %rax, 368(%rsp)
  movq 40(%r8), %rax
  adcq 40(%r9), %rax
  movq %rax, 376(%rsp)
  leaq 288(%rsp), %rsi
  leaq 336(%rsp), %rbx
  leaq 192(%rsp), %rdi
  call cuzk_arith_wide6
  movq 408(%rsp), %rsi
  movq 392(%rsp), %rbx
  leaq 0(%rsp), %rdi
  call cuzk_arith_wide6
  movq 400(%rsp), %rsi
  movq 384(%rsp), %rbx
  leaq 96(%rsp), %rdi
  call cuzk_arith_wide6
  movq 488(%rsp), %rcx
  // c1 = (a0 + a1)(b0 + b1) - a0 b0 - a1 b1, never negative.
  movq 192(%rsp), %r8
  subq 0(%rsp), %r8
  movq 200(%rsp), %r9
  sbbq 8(%rsp), %r9
  movq 208(%rsp), %r10
  sbbq 16(%rsp), %r10
  movq 216(%rsp), %r11
  sbbq 24(%rsp), %r11
  movq 224(%rsp), %r12
  sbbq 32(%rsp), %r12
  movq 232(%rsp), %r13
  sbbq 40(%rsp), %r13
  movq 240(%rsp), %rax
  sbbq 48(%rsp), %rax
  movq 248(%rsp), %rdx
  sbbq 56(%rsp), %rdx
  movq 256(%rsp), %rsi
  sbbq 64(%rsp), %rsi
  movq 264(%rsp), %rdi
  sbbq 72(%rsp), %rdi
  movq 272(%rsp), %rbx
  sbbq 80(%rsp), %rbx
  movq 280(%rsp), %rbp
  sbbq 88(%rsp), %rbp
  subq 96(%rsp), %r8
  sbbq 104(%rsp), %r9
  sbbq 112(%rsp), %r10
  sbbq 120(%rsp), %r11
  sbbq 128(%rsp), %r12
  sbbq 136(%rsp), %r13
  sbbq 144(%rsp), %rax
  sbbq 152(%rsp), %rdx
  sbbq 160(%rsp), %rsi
  sbbq 168(%rsp), %rdi
  sbbq 176(%rsp), %rbx
  sbbq 184(%rsp), %rbp
  movq %rax, 240(%rsp)
  movq %rdx, 248(%rsp)
  movq %rsi, 256(%rsp)
  movq %rdi, 264(%rsp)
  movq %rbx, 272(%rsp)
  movq %rbp, 280(%rsp)
  leaq 240(%rsp), %rsi
  movq 416(%rsp), %rdi
  call cuzk_arith_redc6
  // c0 = a0 b0 - a1 b1, plus 2^384 p where that is negative.
  movq 0(%rsp), %r8
  subq 96(%rsp), %r8
  movq 8(%rsp), %r9
  sbbq 104(%rsp), %r9
  movq 16(%rsp), %r10
  sbbq 112(%rsp), %r10
  movq 24(%rsp), %r11
  sbbq 120(%rsp), %r11
  movq 32(%rsp), %r12
  sbbq 128(%rsp), %r12
  movq 40(%rsp), %r13
  sbbq 136(%rsp), %r13
  movq 48(%rsp), %rax
  sbbq 144(%rsp), %rax
  movq 56(%rsp), %rdx
  sbbq 152(%rsp), %rdx
  movq 64(%rsp), %rsi
  sbbq 160(%rsp), %rsi
  movq 72(%rsp), %rdi
  sbbq 168(%rsp), %rdi
  movq 80(%rsp), %rbx
  sbbq 176(%rsp), %rbx
  movq 88(%rsp), %rbp
  sbbq 184(%rsp), %rbp
  sbbq %r14, %r14
  movq %rax, 48(%rsp)
  movq %rdx, 56(%rsp)
  movq %rsi, 64(%rsp)
  movq %rdi, 72(%rsp)
  movq %rbx, 80(%rsp)
  movq %rbp, 88(%rsp)
  movq 0(%rcx), %rax
  andq %r14, %rax
  movq 8(%rcx), %rdx
  andq %r14, %rdx
  movq 16(%rcx), %rsi
  andq %r14, %rsi
  movq 24(%rcx), %rdi
  andq %r14, %rdi
  movq 32(%rcx), %rbx
  andq %r14, %rbx
  movq 40(%rcx), %rbp
  andq %r14, %rbp
  addq %rax, 48(%rsp)
  adcq %rdx, 56(%rsp)
  adcq %rsi, 64(%rsp)
  adcq %rdi, 72(%rsp)
  adcq %rbx, 80(%rsp)
  adcq %rbp, 88(%rsp)
  leaq 48(%rsp), %rsi
  movq 424(%rsp), %rdi
  call cuzk_arith_redc6
  addq $432, %rsp
  .cfi_adjust_cfa_offset -432
  RESTORE r15, r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_complex6
#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
