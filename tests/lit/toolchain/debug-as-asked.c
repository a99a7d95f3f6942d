// -g is added only where the user said nothing about it.
// RUN: mkdir -p %t && cd %t
// RUN: %heddle_cc -g0 -c %s -o none.o && llvm-readelf -SW none.o | FileCheck %s --check-prefix=NONE
// RUN: %heddle_cc -gline-tables-only -c %s -o lines.o && llvm-dwarfdump --debug-info lines.o | FileCheck %s --check-prefix=LINES
// RUN: %heddle_cc -gz -c %s -o full.o && llvm-dwarfdump --debug-info full.o | FileCheck %s --check-prefix=FULL
// NONE-NOT: .debug_info
// LINES-NOT: DW_TAG_subprogram
// FULL: DW_TAG_formal_parameter
int f(int x) { return x; }
