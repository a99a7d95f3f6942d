// An eBPF object carries its bitcode, and is otherwise what clang makes: no debug information that nobody asked for.
// RUN: mkdir -p %t && cd %t
// RUN: %heddle_cc -target bpf -O2 -c %s -o ours.o && %clang -target bpf -O2 -c %s -o theirs.o
// RUN: llvm-readelf -SW ours.o | FileCheck %s
// RUN: llvm-objcopy --remove-section=.heddle ours.o && llvm-objdump -d -j xdp ours.o > ours.s
// RUN: llvm-objdump -d -j xdp theirs.o > theirs.s && tail -n +3 ours.s > a && tail -n +3 theirs.s > b && cmp a b
// CHECK-NOT: .BTF
// CHECK-NOT: .llvmbc
// CHECK: .heddle PROGBITS
__attribute__((section("xdp"))) int pass(void* context) { return 2; }
