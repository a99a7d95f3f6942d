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
// the common code around it has them all. `place`: for whoever counts.
HEDDLE_HIDDEN __attribute__((preserve_most)) void heddle_alone(const char* place);
// signals.cpp: the same, before the program ends; also in a signal handler.
HEDDLE_HIDDEN __attribute__((preserve_most)) void heddle_leaving(const char* place);

// schedule.cpp: called by heddle_start on the packet's stack.
HEDDLE_HIDDEN void heddle_body_stopped(struct heddle_thread* thread, int result);
HEDDLE_HIDDEN void heddle_body_threw(struct heddle_thread* thread, void* exception);

// unwind.cpp
[[noreturn]] HEDDLE_HIDDEN void heddle_resume_unwinding(void* exception);
HEDDLE_HIDDEN void heddle_delete_exception(void* exception);

} // extern "C"

namespace heddle::runtime {

// Of a context's stage: it waits, but takes no part in the round that runs.
constexpr uint32_t held_mark = 0x80000000;

// stacks.cpp. Makes contexts for at least `count` packets; false when there is no memory for them.
HEDDLE_HIDDEN bool ensure_stacks(heddle_thread& thread, unsigned count);
// A context as it is before a packet starts there (but for its stage).
HEDDLE_HIDDEN void clear_context(heddle_thread& thread, heddle_context& context);

// True on a packet's stack: false in the thread's own code, also after a longjmp out of a body.
inline bool on_private_stack(const heddle_thread& thread) {
  const auto* here = static_cast<unsigned char*>(__builtin_frame_address(0));
  return here >= thread.pool && here < thread.pool + thread.pool_size;
}

// alone.cpp. On a packet's stack: runs all packets before it to their ends, stage by stage; the round is HEDDLE_ALONE afterwards. False,
// and nothing done, where staging is off or the packet is alone.
HEDDLE_HIDDEN bool finish_earlier_packets(heddle_thread& thread);
// The same, but the packet has not become alone: it may be suspended like any other after that.
HEDDLE_HIDDEN void finish_and_go_on(heddle_thread& thread);

// receive.cpp. Does a packet run that may have others before it? One that is alone has none.
HEDDLE_HIDDEN bool may_have_others_before(const heddle_thread& thread);
// Of such a packet: is one before it in flight?
HEDDLE_HIDDEN bool others_before(const heddle_thread& thread);

// deferred.cpp. Output that packets have put off is made in packet order.
HEDDLE_HIDDEN size_t size_of_kept(); // of one context's, in bytes
HEDDLE_HIDDEN void forget_kept(heddle_thread& thread);
// Makes what is kept by packets that have ended and before which all have, and what the packet that runs keeps if
// it is the next. True if it is: nothing is kept before what it writes now.
HEDDLE_HIDDEN bool settle_output(heddle_thread& thread);
// Makes all that is kept by packets up to the one that runs, ended or not: nothing comes after it.
HEDDLE_HIDDEN void make_output_up_to_current(heddle_thread& thread);
// At the end of a batch: makes all.
HEDDLE_HIDDEN void make_all_output(heddle_thread& thread);

// keys.cpp. For a body with keys: the lowest stage that a packet may enter, HEDDLE_NONE if none waits. Marks the packets that
// wait for it and may not, until release_held(); `ready`: how many may.
HEDDLE_HIDDEN uint32_t hold_back(heddle_thread& thread, const heddle_schedule& schedule, unsigned& ready);
HEDDLE_HIDDEN void release_held(heddle_thread& thread);

// schedule.cpp
// The lowest stage above `low` that a packet waits for, HEDDLE_NONE if none does; and how many do.
HEDDLE_HIDDEN uint32_t next_stage(const heddle_thread& thread, uint32_t low, unsigned& waiting);
enum class Mode { Plain, Nested, Staged };
// How a run that begins now has to go; `count` as for heddle_run_loop. Batches of fewer than `least` packets are not staged. Staged: the
// thread is ready.
HEDDLE_HIDDEN Mode begin_run(heddle_thread& thread, int64_t count, unsigned least);
// Of a packet on its own stack that is about to receive: nothing is there for it, or nobody before it is left. Those before it have been a
// batch, as received.
HEDDLE_HIDDEN void nothing_received(heddle_thread& thread);
// The packets that have begun up to then are one, or end one.
HEDDLE_HIDDEN void note_batch(heddle_thread& thread, uint64_t begun);
// Ends a staged run: an exception that left a body goes on from here, else the result is returned.
HEDDLE_HIDDEN int end_run(heddle_thread& thread);
// Runs one packet until it is suspended or ends; the context must be free.
HEDDLE_HIDDEN void run_context(heddle_thread& thread, heddle_context& context);
// Runs the suspended packets before thread.used_end to their ends, stage by stage.
HEDDLE_HIDDEN void finish_stages(heddle_thread& thread);
// The same, of the whole batch, and makes room for the next one.
HEDDLE_HIDDEN void finish_batch(heddle_thread& thread);

} // namespace heddle::runtime
