// Entering a private stack, starting a packet on it, and coming home. The switch between two packets is
// inline (switch_text.h).
//
// Unwinding. A packet's frames end in heddle_start's, whose call frame information says that its caller is
// the caller of heddle_enter: the frame address is found through the word at the top of the private stack
// (the address of heddle_thread.home_sp). So debuggers, profilers and exceptions go on into the program's own
// stack. Both landing pads are cleanups: phase one of a throw passes through them and finds the program's
// handler (or none: std::terminate, as in the original); phase two stops here, lets the other packets
// finish, and goes on from the caller's stack. The personality (unwind.cpp) takes the "language specific
// data" as the landing pad's address.
#include "layout.h"

        .text

// void heddle_enter(struct heddle_thread* thread, struct heddle_context* context)
// Runs `context` and what follows it inline; returns when the inline decision finds no successor.
        .globl  heddle_enter
        .hidden heddle_enter
        .type   heddle_enter, @function
        .p2align 6
heddle_enter:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        pushq   %rbx
        .cfi_def_cfa_offset 24
        .cfi_offset rbx, -24
        pushq   %r12
        .cfi_def_cfa_offset 32
        .cfi_offset r12, -32
        pushq   %r13
        .cfi_def_cfa_offset 40
        .cfi_offset r13, -40
        pushq   %r14
        .cfi_def_cfa_offset 48
        .cfi_offset r14, -48
        pushq   %r15
        .cfi_def_cfa_offset 56
        .cfi_offset r15, -56
        movq    %rsp, HEDDLE_THREAD_HOME_SP(%rdi)
        movq    %rsi, HEDDLE_THREAD_CURRENT(%rdi)
        movq    HEDDLE_CONTEXT_SP(%rsi), %rsp
        movq    HEDDLE_CONTEXT_RBP(%rsi), %rbp
        movq    HEDDLE_CONTEXT_RBX(%rsi), %rbx
        jmpq    *HEDDLE_CONTEXT_RESUME(%rsi)

        .globl  heddle_home
        .hidden heddle_home
heddle_home:
        movq    heddle_this_thread@gottpoff(%rip), %rax
        movq    %fs:HEDDLE_THREAD_HOME_SP(%rax), %rsp
        popq    %r15
        .cfi_def_cfa_offset 48
        .cfi_restore r15
        popq    %r14
        .cfi_def_cfa_offset 40
        .cfi_restore r14
        popq    %r13
        .cfi_def_cfa_offset 32
        .cfi_restore r13
        popq    %r12
        .cfi_def_cfa_offset 24
        .cfi_restore r12
        popq    %rbx
        .cfi_def_cfa_offset 16
        .cfi_restore rbx
        popq    %rbp
        .cfi_def_cfa_offset 8
        .cfi_restore rbp
        retq
        .cfi_endproc
        .size   heddle_enter, .-heddle_enter

// The outermost frame of every packet. Entered by a jump with rbx = thread and rsp = the private stack's top,
// where the address of thread->home_sp lies, and above it that of the packet's copies. The byte before belongs to it too, so that unwinders which look up
// "return address - 1" of nothing in particular stay inside.
        .globl  heddle_start
        .hidden heddle_start
        .type   heddle_start, @function
        .p2align 6
        .cfi_startproc
        .cfi_personality 0x1b, heddle_personality
        .cfi_lsda 0x1b, .Lstart_pad
        // DW_CFA_def_cfa_expression, 6 bytes: breg7 (rsp) +0, deref, deref, plus_uconst 56
        .cfi_escape 0x0f, 0x06, 0x77, 0x00, 0x06, 0x06, 0x23, 56
        .cfi_offset rbp, -16
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        .cfi_offset r15, -56
        nop
heddle_start:
        movq    HEDDLE_THREAD_HOME_SP(%rbx), %rbp
        addq    $40, %rbp                       // heddle_enter's frame: the chain of rbp goes on there
.Lnext_packet:
        movq    8(%rsp), %rax
        movq    %rax, HEDDLE_THREAD_COPIES(%rbx)
        incq    HEDDLE_THREAD_PACKETS(%rbx)
        movq    HEDDLE_THREAD_ENV(%rbx), %rdi
        movq    HEDDLE_THREAD_BODY(%rbx), %rax
.Lcall:
        callq   *%rax
        movl    HEDDLE_THREAD_ROUND(%rbx), %edx
        testl   %eax, %eax
        jne     .Lstopped
        cmpl    %edx, HEDDLE_THREAD_REPEAT(%rbx)
        je      .Lnext_packet
        // Finished: free the context, then decide as the inline switch does.
        movq    HEDDLE_THREAD_CURRENT(%rbx), %rcx
        leaq    heddle_start(%rip), %rax
        movl    $HEDDLE_NONE, HEDDLE_CONTEXT_STAGE(%rcx)
        movq    %rsp, HEDDLE_CONTEXT_SP(%rcx)
        movq    %rax, HEDDLE_CONTEXT_RESUME(%rcx)
        movq    %rbx, HEDDLE_CONTEXT_RBX(%rcx)
        addq    $HEDDLE_CONTEXT_SIZE, %rcx
        cmpl    %edx, HEDDLE_CONTEXT_STAGE(%rcx)
        jne     heddle_home
        movq    %rcx, HEDDLE_THREAD_CURRENT(%rbx)
        leaq    .Lnext_context(%rip), %rax
        jmp     .Lcall
        // By a call, whose return address nobody uses, in place of the one that the return to here has taken from the
        // processor's return predictor: the next packet's body is about to return to the same place.
.Lnext_context:
        movq    HEDDLE_CONTEXT_SP(%rcx), %rsp
        movq    HEDDLE_CONTEXT_RBP(%rcx), %rbp
        movq    HEDDLE_CONTEXT_RBX(%rcx), %rbx
        jmpq    *HEDDLE_CONTEXT_RESUME(%rcx)
.Lstopped:
        movq    %rbx, %rdi
        movl    %eax, %esi
        callq   heddle_body_stopped
        jmp     .Lfree
.Lstart_pad:
        movq    %rbx, %rdi
        movq    %rax, %rsi
        callq   heddle_body_threw
.Lfree:
        movq    HEDDLE_THREAD_CURRENT(%rbx), %rcx
        leaq    heddle_start(%rip), %rax
        movl    $HEDDLE_NONE, HEDDLE_CONTEXT_STAGE(%rcx)
        movq    %rsp, HEDDLE_CONTEXT_SP(%rcx)
        movq    %rax, HEDDLE_CONTEXT_RESUME(%rcx)
        movq    %rbx, HEDDLE_CONTEXT_RBX(%rcx)
        jmp     heddle_home
        .cfi_endproc
        .size   heddle_start, .-heddle_start

// int heddle_run_nested(struct heddle_thread* thread, int (*body)(void*), void* env)
// Runs a packet loop that a staged body has reached: its sites do nothing, and the round of the packet that
// runs comes back afterwards, also when an exception leaves; unless the packet has become alone there.
        .globl  heddle_run_nested
        .hidden heddle_run_nested
        .type   heddle_run_nested, @function
        .p2align 4
heddle_run_nested:
        .cfi_startproc
        .cfi_personality 0x1b, heddle_personality
        .cfi_lsda 0x1b, .Lnested_pad
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        movq    %rdi, %rbx
        movq    %rsi, %r12
        movq    %rdx, %r13
        movl    HEDDLE_THREAD_ROUND(%rbx), %r14d
        movl    $HEDDLE_NONE, HEDDLE_THREAD_ROUND(%rbx)
.Lnested_packet:
        movq    %r13, %rdi
        callq   *%r12
        testl   %eax, %eax
        je      .Lnested_packet
        cmpl    $HEDDLE_ALONE, HEDDLE_THREAD_ROUND(%rbx)
        je      .Lnested_alone
        movl    %r14d, HEDDLE_THREAD_ROUND(%rbx)
.Lnested_alone:
        .cfi_remember_state
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa rsp, 8
        retq
        .cfi_restore_state
.Lnested_pad:
        cmpl    $HEDDLE_ALONE, HEDDLE_THREAD_ROUND(%rbx)
        je      .Lnested_goes_on
        movl    %r14d, HEDDLE_THREAD_ROUND(%rbx)
.Lnested_goes_on:
        movq    %rax, %rdi
        callq   heddle_resume_unwinding
        .cfi_endproc
        .size   heddle_run_nested, .-heddle_run_nested

        .section .note.GNU-stack,"",@progbits
