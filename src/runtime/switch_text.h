// The inline switch, as text: src/transform/site.cpp emits it, and HEDDLE_SITE puts it into C programs (tests
// and the crossing benchmark), so both run the same instructions.
//
// On entry the caller has found round < stage. The packet that runs is marked as waiting for `stage`; if its
// successor waits for the stage that runs now, control goes straight to it, else to the scheduler
// (heddle_home). Control comes back behind the text when the round `stage` reaches this packet.
//
// What holds for the text:
// - nothing is pushed, so the red zone stays untouched; there is no call or ret, so the return predictor
//   stays in step; the only indirect branch is the jump to the resume address, the same for all packets that
//   take the same path;
// - rbp and rbx are saved here, because the compiler may hold its frame or base pointer in them and then
//   cannot give them up; every other register is clobbered, so that the compiler saves what is live;
// - the thread's state is found here and not by the compiler, which would find it once and keep the address
//   in the frame: one more line of every packet's stack to fetch. The linker makes the load a constant in
//   executables;
// - numeric labels only: the compiler may duplicate the text.
#pragma once

#include "layout.h"

// clang-format off
#define HEDDLE_STR_(x) #x
#define HEDDLE_STR(x) HEDDLE_STR_(x)
// A field of the thread's state (in rdx) and of a packet's context (in rcx).
#define HEDDLE_OF_THREAD(R, FIELD) HEDDLE_STR(HEDDLE_THREAD_##FIELD) "(" R "rdx)"
#define HEDDLE_OF_CONTEXT(R, FIELD) HEDDLE_STR(HEDDLE_CONTEXT_##FIELD) "(" R "rcx)"

// `R` is how the dialect spells the register prefix, `I` that of an immediate (asm in C: "%%", "$"; LLVM
// inline assembly: "%", "$$"); `TO` is the operand that holds the stage, as the dialect spells it.
#define HEDDLE_SWITCH_TEXT(R, I, TO)                                \
  "movq " R "fs:0, " R "rdx\n\t"                                    \
  "addq heddle_this_thread@gottpoff(" R "rip), " R "rdx\n\t"        \
  "movq " HEDDLE_OF_THREAD(R, CURRENT) ", " R "rcx\n\t"             \
  "leaq 1f(" R "rip), " R "rax\n\t"                                 \
  "movl " TO ", " HEDDLE_OF_CONTEXT(R, STAGE) "\n\t"                \
  "movq " R "rsp, " HEDDLE_OF_CONTEXT(R, SP) "\n\t"                 \
  "movq " R "rax, " HEDDLE_OF_CONTEXT(R, RESUME) "\n\t"             \
  "movq " R "rbp, " HEDDLE_OF_CONTEXT(R, RBP) "\n\t"                \
  "movq " R "rbx, " HEDDLE_OF_CONTEXT(R, RBX) "\n\t"                \
  "movl " HEDDLE_OF_THREAD(R, ROUND) ", " R "eax\n\t"               \
  "addq " I HEDDLE_STR(HEDDLE_CONTEXT_SIZE) ", " R "rcx\n\t"        \
  "cmpl " R "eax, " HEDDLE_OF_CONTEXT(R, STAGE) "\n\t"              \
  "jne heddle_home\n\t"                                            \
  "movq " R "rcx, " HEDDLE_OF_THREAD(R, CURRENT) "\n\t"             \
  "movq " HEDDLE_OF_CONTEXT(R, SP) ", " R "rsp\n\t"                 \
  "movq " HEDDLE_OF_CONTEXT(R, RBP) ", " R "rbp\n\t"                \
  "movq " HEDDLE_OF_CONTEXT(R, RBX) ", " R "rbx\n\t"                \
  "jmpq *" HEDDLE_OF_CONTEXT(R, RESUME) "\n"                        \
  "1:"
// clang-format on
