// HEDDLE_SITE(stage): a site in hand-written C or C++, for tests and benchmarks of the runtime. Compiled
// programs get theirs from src/transform/site.cpp.
#pragma once

#include "switch_text.h"

#ifdef __cplusplus
extern "C" __attribute__((visibility("hidden"))) __thread struct heddle_thread heddle_this_thread
    __attribute__((tls_model("initial-exec")));
#else
extern __attribute__((visibility("hidden"))) __thread struct heddle_thread heddle_this_thread
    __attribute__((tls_model("initial-exec")));
#endif

#ifdef __AVX512F__
#define HEDDLE_SITE_AVX512                                                                                   \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",       \
      "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define HEDDLE_SITE_AVX512
#endif

#define HEDDLE_SITE(number)                                                                                  \
  do {                                                                                                       \
    if (__builtin_expect(heddle_this_thread.round < (number), 1)) {                                          \
      __asm__ volatile(HEDDLE_SWITCH_TEXT("%%", "$", "%0")                                                   \
                       :                                                                                     \
                       : "i"(number)                                                                         \
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",   \
                         "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",      \
                         "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)",        \
                         "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "memory",                     \
                         "cc" HEDDLE_SITE_AVX512);                                                           \
    }                                                                                                        \
  } while (0)
