// Where no object is made, the output is clang's, byte by byte.
// RUN: mkdir -p %t && cd %t
// RUN: %heddle_cc -E %s > h.i && %clang -E %s > c.i && diff h.i c.i
// RUN: %heddle_cc -M %s > h.d && %clang -M %s > c.d && diff h.d c.d
// RUN: %heddle_cc -MM -MG %s > h.d && %clang -MM -MG %s > c.d && diff h.d c.d
// RUN: %heddle_cc -O2 -S %s -o h.s && %clang -O2 -S %s -o c.s && diff h.s c.s
// RUN: %heddle_cc -S -emit-llvm %s -o h.ll && %clang -S -emit-llvm %s -o c.ll && diff h.ll c.ll
// RUN: %heddle_cc -fsyntax-only %s
// RUN: %heddle_cc -E -dM -x c /dev/null > h.m && %clang -E -dM -x c /dev/null > c.m && diff h.m c.m
#include <stddef.h>
int f(size_t x) { return (int)x; }
