// Montgomery multiplication for four limbs with the top bit of the modulus free.
#if defined(__x86_64__) && defined(__ELF__)
#include "rows4.inc"

// void cuzk_arith_mul4(u64 r[4], const u64 a[4], const u64 b[4], const u64 modulus[5]): 36 word products.
FUNCTION cuzk_arith_mul4
  SAVE rbx, rbp, r12
  movq %rdx, %rbx
  movq 0(%rsi), %rdx
  MULTIPLY4 %rbx, %r8, %r9, %r10, %r11, %r12
  REDUCE4 %rcx, %r8, %r9, %r10, %r11, %r12
  movq 8(%rsi), %rdx
  ACCUMULATE4 %rbx, %r9, %r10, %r11, %r12, %r8
  REDUCE4 %rcx, %r9, %r10, %r11, %r12, %r8
  movq 16(%rsi), %rdx
  ACCUMULATE4 %rbx, %r10, %r11, %r12, %r8, %r9
  REDUCE4 %rcx, %r10, %r11, %r12, %r8, %r9
  movq 24(%rsi), %rdx
  ACCUMULATE4 %rbx, %r11, %r12, %r8, %r9, %r10
  REDUCE4 %rcx, %r11, %r12, %r8, %r9, %r10
  STORE_REDUCED4 %rdi, %rcx, %r12, %r8, %r9, %r10, %rax, %rdx, %rsi, %rbx
  RESTORE r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_mul4

// void cuzk_arith_sqr4(u64 r[4], const u64 a[4], const u64 modulus[5]): 30 word products.
FUNCTION cuzk_arith_sqr4
  SAVE rbx, rbp, r12, r13, r14
  movq %rdx, %rcx
  // Off the diagonal: r14:r9 = sum over i < j of a_i a_j 2^(64 (i + j - 1)).
  movq 0(%rsi), %rdx
  mulx 8(%rsi), %r9, %r10
  mulx 16(%rsi), LO, %r11
  addq LO, %r10
  mulx 24(%rsi), LO, %r12
  adcq LO, %r11
  adcq $0, %r12
  movq 8(%rsi), %rdx
  xorl %r13d, %r13d
  STEP 16(%rsi), %r11, %r12
  STEP 24(%rsi), %r12, %r13
  movq 16(%rsi), %rdx
  mulx 24(%rsi), LO, %r14
  adcx LO, %r13
  movl $0, %eax
  adcx LO, %r14
  // Twice that, plus the diagonal: rbx:r14:r13:r12 high, r11:r10:r9:r8 low.
  CLEAR_FLAGS
  movq 0(%rsi), %rdx
  mulx %rdx, %r8, HI
  adcx %r9, %r9
  adox HI, %r9
  movq 8(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r10, %r10
  adox LO, %r10
  adcx %r11, %r11
  adox HI, %r11
  movq 16(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r12, %r12
  adox LO, %r12
  adcx %r13, %r13
  adox HI, %r13
  movq 24(%rsi), %rdx
  mulx %rdx, LO, %rbx
  adcx %r14, %r14
  adox LO, %r14
  movl $0, %eax
  adcx LO, %rbx
  adox LO, %rbx
  xorl %esi, %esi
  REDUCE4 %rcx, %r8, %r9, %r10, %r11, %rsi
  REDUCE4 %rcx, %r9, %r10, %r11, %rsi, %r8
  REDUCE4 %rcx, %r10, %r11, %rsi, %r8, %r9
  REDUCE4 %rcx, %r11, %rsi, %r8, %r9, %r10
  addq %rsi, %r12
  adcq %r8, %r13
  adcq %r9, %r14
  adcq %r10, %rbx
  STORE_REDUCED4 %rdi, %rcx, %r12, %r13, %r14, %rbx, %rax, %rdx, %rsi, %rbp
  RESTORE r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_sqr4

// void cuzk_arith_sum_of_products4(u64 r[4], const u64 a[4], const u64 b[4], const u64 c[4], const u64 d[4],
//                                  const u64 modulus[5]): a b + c d for 3 p < 2^256, 52 word products.
FUNCTION cuzk_arith_sum_of_products4
  SAVE rbx, rbp, r12, r13, r14
  movq %rdx, %rbx
  movq %r8, %r14
  movq %r9, %r13
  movq 0(%rsi), %rdx
  MULTIPLY4 %rbx, %r8, %r9, %r10, %r11, %r12
  movq 0(%rcx), %rdx
  ACCUMULATE4 %r14, %r8, %r9, %r10, %r11, %r12
  REDUCE4 %r13, %r8, %r9, %r10, %r11, %r12
  movq 8(%rsi), %rdx
  ACCUMULATE4 %rbx, %r9, %r10, %r11, %r12, %r8
  movq 8(%rcx), %rdx
  ACCUMULATE4 %r14, %r9, %r10, %r11, %r12, %r8
  REDUCE4 %r13, %r9, %r10, %r11, %r12, %r8
  movq 16(%rsi), %rdx
  ACCUMULATE4 %rbx, %r10, %r11, %r12, %r8, %r9
  movq 16(%rcx), %rdx
  ACCUMULATE4 %r14, %r10, %r11, %r12, %r8, %r9
  REDUCE4 %r13, %r10, %r11, %r12, %r8, %r9
  movq 24(%rsi), %rdx
  ACCUMULATE4 %rbx, %r11, %r12, %r8, %r9, %r10
  movq 24(%rcx), %rdx
  ACCUMULATE4 %r14, %r11, %r12, %r8, %r9, %r10
  REDUCE4 %r13, %r11, %r12, %r8, %r9, %r10
  STORE_REDUCED4 %rdi, %r13, %r12, %r8, %r9, %r10, %rax, %rdx, %rsi, %rbx
  RESTORE r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_sum_of_products4
#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
