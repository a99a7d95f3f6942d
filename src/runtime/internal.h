// What the parts of the runtime share. Everything here is hidden: each linked image has its own runtime.
#pragma once

#include "layout.h"
#include "runtime.h"

#define HEDDLE_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

// Initial-exec: one load of an offset, then one of the word. Fits executables and libraries that are there
// at start; a library opened later takes its bytes from the space that libc keeps for that.
extern HEDDLE_HIDDEN __thread struct heddle_thread heddle_this_thread
    __attribute__((tls_model("initial-exec")));

// switch.S
HEDDLE_HIDDEN void heddle_enter(struct heddle_thread* thread, heddle_context* context);
HEDDLE_HIDDEN void heddle_start();
HEDDLE_HIDDEN int heddle_run_nested(struct heddle_thread* thread, int (*body)(void*), void* env);

// alone.cpp: called by the packet's code at the beginning of a rare path. Keeps the general registers, so that
// the common code around it has them all.
HEDDLE_HIDDEN __attribute__((preserve_most)) void heddle_alone();
// signals.cpp: the same, before the program ends; also in a signal handler.
HEDDLE_HIDDEN __attribute__((preserve_most)) void heddle_leaving();

// schedule.cpp: called by heddle_start on the packet's stack.
HEDDLE_HIDDEN void heddle_body_stopped(struct heddle_thread* thread, int result);
HEDDLE_HIDDEN void heddle_body_threw(struct heddle_thread* thread, void* exception);

// unwind.cpp
[[noreturn]] HEDDLE_HIDDEN void heddle_resume_unwinding(void* exception);
HEDDLE_HIDDEN void heddle_delete_exception(void* exception);

} // extern "C"

namespace heddle::runtime {

// stacks.cpp. Makes contexts for at least `count` packets; false when there is no memory for them.
HEDDLE_HIDDEN bool ensure_stacks(heddle_thread& thread, unsigned count);
// A context as it is before a packet starts there (but for its stage).
HEDDLE_HIDDEN void clear_context(heddle_thread& thread, heddle_context& context);

// schedule.cpp
enum class Mode { Plain, Nested, Staged };
// How a run that begins now has to go; `count` as for heddle_run_loop. Staged: the thread is ready.
HEDDLE_HIDDEN Mode begin_run(heddle_thread& thread, int64_t count);
// Ends a staged run: an exception that left a body goes on from here, else the result is returned.
HEDDLE_HIDDEN int end_run(heddle_thread& thread);
// Runs one packet until it is suspended or ends; the context must be free.
HEDDLE_HIDDEN void run_context(heddle_thread& thread, heddle_context& context);
// Runs all suspended packets to their ends, stage by stage.
HEDDLE_HIDDEN void finish_batch(heddle_thread& thread);

} // namespace heddle::runtime
