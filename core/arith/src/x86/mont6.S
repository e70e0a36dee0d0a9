// Montgomery multiplication for six limbs with the top bit of the modulus free.
#if defined(__x86_64__) && defined(__ELF__)
#include "rows6.inc"

// void cuzk_arith_mul6(u64 r[6], const u64 a[6], const u64 b[6], const u64 modulus[7]): 78 word products.
FUNCTION cuzk_arith_mul6
  SAVE rbx, rbp, r12, r13, r14, r15
  movq %rdx, %rbx
  movq 0(%rsi), %rdx
  MULTIPLY6 %rbx, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  REDUCE6 %rcx, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  movq 8(%rsi), %rdx
  ACCUMULATE6 %rbx, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  REDUCE6 %rcx, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  movq 16(%rsi), %rdx
  ACCUMULATE6 %rbx, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  REDUCE6 %rcx, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  movq 24(%rsi), %rdx
  ACCUMULATE6 %rbx, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  REDUCE6 %rcx, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  movq 32(%rsi), %rdx
  ACCUMULATE6 %rbx, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  REDUCE6 %rcx, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  movq 40(%rsi), %rdx
  ACCUMULATE6 %rbx, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  REDUCE6 %rcx, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  STORE_REDUCED6 %rdi, %rcx, %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rdx, %rsi, %rbx, %rbp, %r15
  RESTORE r15, r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_mul6

// void cuzk_arith_sum_of_products6(u64 r[6], const u64 a[6], const u64 b[6], const u64 c[6], const u64 d[6],
//                                  const u64 modulus[7]): a b + c d for 3 p < 2^384, 114 word products.
FUNCTION cuzk_arith_sum_of_products6
  SAVE rbx, rbp, r12, r13, r14, r15, rdi
  movq %rdx, %rbx
  movq %r8, %rdi
  movq %r9, %r15
  movq 0(%rsi), %rdx
  MULTIPLY6 %rbx, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  movq 0(%rcx), %rdx
  ACCUMULATE6 %rdi, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  REDUCE6 %r15, %r8, %r9, %r10, %r11, %r12, %r13, %r14
  movq 8(%rsi), %rdx
  ACCUMULATE6 %rbx, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  movq 8(%rcx), %rdx
  ACCUMULATE6 %rdi, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  REDUCE6 %r15, %r9, %r10, %r11, %r12, %r13, %r14, %r8
  movq 16(%rsi), %rdx
  ACCUMULATE6 %rbx, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  movq 16(%rcx), %rdx
  ACCUMULATE6 %rdi, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  REDUCE6 %r15, %r10, %r11, %r12, %r13, %r14, %r8, %r9
  movq 24(%rsi), %rdx
  ACCUMULATE6 %rbx, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  movq 24(%rcx), %rdx
  ACCUMULATE6 %rdi, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  REDUCE6 %r15, %r11, %r12, %r13, %r14, %r8, %r9, %r10
  movq 32(%rsi), %rdx
  ACCUMULATE6 %rbx, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  movq 32(%rcx), %rdx
  ACCUMULATE6 %rdi, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  REDUCE6 %r15, %r12, %r13, %r14, %r8, %r9, %r10, %r11
  movq 40(%rsi), %rdx
  ACCUMULATE6 %rbx, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  movq 40(%rcx), %rdx
  ACCUMULATE6 %rdi, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  REDUCE6 %r15, %r13, %r14, %r8, %r9, %r10, %r11, %r12
  RESTORE rdi
  STORE_REDUCED6 %rdi, %r15, %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rdx, %rsi, %rbx, %rbp, %rcx
  RESTORE r15, r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_sum_of_products6

// void cuzk_arith_sqr6(u64 r[6], const u64 a[6], const u64 modulus[7]): 63 word products.
FUNCTION cuzk_arith_sqr6
  SAVE rbx, rbp, r12, r13, r14, r15, rdx, rdi
  // Off the diagonal: t10:t1 = sum over i < j of a_i a_j 2^(64 (i + j - 1)), in rcx, rbx, r15 ... r9, r8.
  movq 0(%rsi), %rdx
  mulx 8(%rsi), %r8, %r9
  mulx 16(%rsi), LO, %r10
  addq LO, %r9
  mulx 24(%rsi), LO, %r11
  adcq LO, %r10
  mulx 32(%rsi), LO, %r12
  adcq LO, %r11
  mulx 40(%rsi), LO, %r13
  adcq LO, %r12
  adcq $0, %r13
  movq 8(%rsi), %rdx
  xorl %r14d, %r14d
  STEP 16(%rsi), %r10, %r11
  STEP 24(%rsi), %r11, %r12
  STEP 32(%rsi), %r12, %r13
  STEP 40(%rsi), %r13, %r14
  movl $0, %eax
  adcx LO, %r14
  movq 16(%rsi), %rdx
  xorl %r15d, %r15d
  STEP 24(%rsi), %r12, %r13
  STEP 32(%rsi), %r13, %r14
  STEP 40(%rsi), %r14, %r15
  movl $0, %eax
  adcx LO, %r15
  movq 24(%rsi), %rdx
  xorl %ebx, %ebx
  STEP 32(%rsi), %r14, %r15
  STEP 40(%rsi), %r15, %rbx
  movq 32(%rsi), %rdx
  mulx 40(%rsi), LO, %rcx
  adcx LO, %rbx
  movl $0, %eax
  adcx LO, %rcx
  // Twice that, plus the diagonal: low half in r12 ... r8, rdi; high half on the stack.
  CLEAR_FLAGS
  movq 0(%rsi), %rdx
  mulx %rdx, %rdi, HI
  adcx %r8, %r8
  adox HI, %r8
  movq 8(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r9, %r9
  adox LO, %r9
  adcx %r10, %r10
  adox HI, %r10
  movq 16(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r11, %r11
  adox LO, %r11
  adcx %r12, %r12
  adox HI, %r12
  movq 24(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r13, %r13
  adox LO, %r13
  adcx %r14, %r14
  adox HI, %r14
  movq 32(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %r15, %r15
  adox LO, %r15
  adcx %rbx, %rbx
  adox HI, %rbx
  movq 40(%rsi), %rdx
  mulx %rdx, LO, HI
  adcx %rcx, %rcx
  adox LO, %rcx
  movl $0, %eax
  adcx LO, HI
  adox LO, HI
  movq 8(%rsp), %rsi
  pushq HI
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  xorl %ecx, %ecx
  REDUCE6 %rsi, %rdi, %r8, %r9, %r10, %r11, %r12, %rcx
  REDUCE6 %rsi, %r8, %r9, %r10, %r11, %r12, %rcx, %rdi
  REDUCE6 %rsi, %r9, %r10, %r11, %r12, %rcx, %rdi, %r8
  REDUCE6 %rsi, %r10, %r11, %r12, %rcx, %rdi, %r8, %r9
  REDUCE6 %rsi, %r11, %r12, %rcx, %rdi, %r8, %r9, %r10
  REDUCE6 %rsi, %r12, %rcx, %rdi, %r8, %r9, %r10, %r11
  addq %rcx, %r13
  adcq %rdi, %r14
  adcq %r8, %r15
  adcq %r9, %rbx
  adcq 0(%rsp), %r10
  adcq 8(%rsp), %r11
  movq 16(%rsp), %rdi
  STORE_REDUCED6 %rdi, %rsi, %r13, %r14, %r15, %rbx, %r10, %r11, %rax, %rdx, %rcx, %rbp, %r8, %r9
  addq $32, %rsp
  .cfi_adjust_cfa_offset -32
  RESTORE r15, r14, r13, r12, rbp, rbx
  ret
END_FUNCTION cuzk_arith_sqr6
#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
