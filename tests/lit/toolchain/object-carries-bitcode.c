// An object carries bitcode beside the machine code that clang makes.
// RUN: mkdir -p %t && cd %t
// RUN: %heddle_cc -O2 -c %s -o h.o
// RUN: %clang -O2 -g -c %s -o c.o
// RUN: llvm-readelf -SW h.o | FileCheck %s
// RUN: llvm-objdump -d --no-show-raw-insn h.o | tail -n +3 > h.txt
// RUN: llvm-objdump -d --no-show-raw-insn c.o | tail -n +3 > c.txt
// RUN: diff h.txt c.txt
// RUN: llvm-objcopy --dump-section=.heddle=h.bc h.o
// RUN: llvm-dis h.bc -o - | FileCheck %s --check-prefix=IR
// CHECK-NOT: .llvmbc
// CHECK: .heddle
// CHECK-NOT: .llvmbc
// CHECK: .debug_info
// IR: define {{.*}}i32 @twice(i32 noundef %{{.*}}) {{.*}}!dbg
int twice(int x) { return 2 * x; }
