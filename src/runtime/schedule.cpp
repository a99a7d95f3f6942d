// Which packet runs next.
//
// Packets of a batch sit in the thread's contexts in packet order. Round 0 starts them one after another; a
// packet that ends without being suspended makes room for the next one on the same stack. Then, until none is
// left: the lowest stage that a packet waits for becomes the round, and the packets that wait for it run in
// order. Almost every one of these steps is taken inline by the site that suspends a packet (its successor is
// the next context, and waits for the running round); this file takes the others: the start of a round, gaps
// where packets skip a stage, and the ends.
//
// Order, where no packet has a key: in a round only packets of that stage run, in packet order, and a later round has a higher stage; a
// packet that waits for a stage is waited for by none of the lower ones. So every stage is passed in packet
// order, and stages follow each other, which is what the analysis relies on (docs/design.md, "Order"). With keys, some
// packets are left out of a round: keys.cpp.
//
// Few packets. What staging saves is shared by the packets of a batch, and what it costs is paid by each: so batches of fewer than the
// plan's `least_batch` (or HEDDLE_LEAST_BATCH) run packet by packet, as in the original. Where the number is known when the loop begins, that is
// all. Where each packet is received by itself, a batch is what was there without waiting, and known when it is over: after one that
// was too small the next packet runs by itself, on the caller's stack, then a batch is tried again, then two packets, four, and so
// on to 256; a batch that is large enough ends that. At light load all but a few packets in a thousand then take the original's time, and
// at the change to heavy load no more than 256 do without staging. To switch is sound between two batches, where no packet is in flight.
//
// Signals run on whatever stack they meet. After fork inside a body the child has all in-flight packets
// too. A body that leaves by longjmp abandons its batch; the next run notices (begin_run).
//
// Not supported: a body that runs packet loops on stacks of the program's own (makecontext), hardware shadow
// stacks, and a site inside a catch handler (the C++ library keeps caught exceptions in one chain per
// thread); the analysis has to keep cuts out of the last.
#include "counters.h"
#include "internal.h"
#include "keys.h"

#include "heddle/heddle.h"

#include <stdlib.h>

extern "C" {

__thread struct heddle_thread heddle_this_thread __attribute__((tls_model("initial-exec"))) = {};

// The most packets in flight, and the fewest of a batch that is staged (~0: the plan's). Interleaved bodies read them, too.
HEDDLE_HIDDEN unsigned heddle_batch_limit;
HEDDLE_HIDDEN unsigned heddle_least_batch;

// The plan's batch; src/transform defines it in the optimized program.
extern const unsigned heddle_default_batch __attribute__((weak));

// AddressSanitizer's interface for programs that switch stacks, present when it is linked in.
void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void* save, const void** bottom, size_t* size) __attribute__((weak));
void __tsan_init() __attribute__((weak)); // ThreadSanitizer is linked in
}

namespace heddle::runtime {
namespace {

constexpr unsigned max_batch = 1024;
constexpr unsigned most_pause = 256;
constexpr unsigned of_the_plan = ~0u;

unsigned setting(const char* name, unsigned otherwise) {
  const char* text = getenv(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0) return otherwise;
  return value > max_batch ? max_batch : unsigned(value);
}

// Before the program, which may clear its environment.
__attribute__((constructor(101))) void read_settings() {
  unsigned batch = setting("HEDDLE_BATCH", &heddle_default_batch != nullptr ? heddle_default_batch : 32);
  heddle_least_batch = setting("HEDDLE_LEAST_BATCH", of_the_plan);
  if (__tsan_init != nullptr) batch = 0; // it follows calls and returns and would be led astray
  heddle_batch_limit = batch;
}

unsigned current_batch() {
  return __atomic_load_n(&heddle_batch_limit, __ATOMIC_RELAXED);
}

unsigned least_batch_of(int (*body)(void* env)) {
  if (heddle_least_batch != of_the_plan) return heddle_least_batch;
  const heddle_schedule* schedule = staged_body(body);
  return schedule != nullptr ? schedule->least_batch : 0;
}

// After a longjmp out of a body: nothing of the abandoned batch is of use but the output it has put off.
void forget_batch(heddle_thread& thread) {
  make_output_up_to_current(thread);
  forget_kept(thread);
  for (unsigned i = 0; i < thread.capacity; ++i)
    clear_context(thread, thread.contexts[i * thread.step]);
  thread.limit = 0;
  thread.active = 0;
  thread.exception = nullptr;
  thread.round = HEDDLE_NONE;
  thread.copies = nullptr;
}

void set_limit(heddle_thread& thread, unsigned limit) {
  if (thread.limit == limit) return;
  for (unsigned i = 0; i < thread.capacity; ++i)
    thread.contexts[i * thread.step].stage = i < limit ? 0 : HEDDLE_NONE;
  thread.limit = limit;
  thread.limit_end = thread.contexts + limit * thread.step;
}

void enter_annotated(heddle_thread& thread, heddle_context& context) {
  __sanitizer_start_switch_fiber(&thread.home_fake_stack, context.base, context.top - context.base);
  __sanitizer_finish_switch_fiber(context.fake_stack, &thread.home_bottom, &thread.home_size);
  heddle_enter(&thread, &context);
  bool ended = context.resume == reinterpret_cast<void*>(heddle_start);
  context.fake_stack = nullptr;
  __sanitizer_start_switch_fiber(ended ? nullptr : &context.fake_stack, thread.home_bottom, thread.home_size);
  __sanitizer_finish_switch_fiber(thread.home_fake_stack, nullptr, nullptr);
}

} // namespace

uint32_t next_stage(const heddle_thread& thread, uint32_t low, unsigned& waiting) {
  uint32_t next = HEDDLE_NONE;
  waiting = 0;
  const heddle_context* const end = thread.used_end;
  const size_t step = thread.step;
  for (const heddle_context* context = thread.contexts; context != end; context += step)
    if (context->stage > low && context->stage < next) next = context->stage;
  for (const heddle_context* context = thread.contexts; context != end; context += step)
    waiting += context->stage == next;
  return next;
}

void run_context(heddle_thread& thread, heddle_context& context) {
  if (__sanitizer_start_switch_fiber != nullptr)
    enter_annotated(thread, context);
  else
    heddle_enter(&thread, &context);
}

void finish_stages(heddle_thread& thread) {
  heddle_context* const end = thread.used_end;
  const size_t step = thread.step;
  const heddle_schedule* const body = staged_body(thread.body);
  const heddle_schedule* const schedule = body != nullptr && body->range_count != 0 ? body : nullptr;
  for (;;) {
    unsigned waiting = 0;
    const uint64_t held = thread.held, begin = schedule && counting() ? count_now() : 0;
    const uint32_t stage = schedule ? hold_back(thread, *schedule, waiting) : next_stage(thread, 0, waiting);
    if (stage == HEDDLE_NONE) break;
    const uint64_t left_out = thread.held - held; // before a packet that runs alone has others left out
    thread.crossings += waiting;
    ++thread.visits;
    for (heddle_context* context = thread.contexts; context < end; context += step) {
      if (context->stage != stage) continue;
      thread.round = stage; // a packet that ran alone has changed it
      run_context(thread, *context);
      context = thread.current;
    }
    if (schedule) release_held(thread);
    if (counting()) count_visit(thread, body, stage, waiting, left_out, schedule ? count_now() - begin : 0);
  }
}

void finish_batch(heddle_thread& thread) {
  finish_stages(thread);
  make_all_output(thread);
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step)
    context->stage = 0;
  thread.used_end = thread.contexts;
  thread.round = 0;
  ++thread.batches;
  if (counting()) count_batch(thread, staged_body(thread.body));
}

Mode begin_run(heddle_thread& thread, int64_t count, unsigned least) {
  if (thread.active) {
    if (on_private_stack(thread)) return Mode::Nested;
    forget_batch(thread);
  }
  thread.least = count < 0 ? least : 0;
  if (count < 0 ? least != 0 && thread.pause_left != 0 : count <= 1 || count < int64_t(least))
    return Mode::Plain;
  unsigned batch = current_batch();
  if (batch <= 1 || !ensure_stacks(thread, batch)) return Mode::Plain;
  set_limit(thread, batch);
  thread.used_end = thread.oldest = thread.kept_end = thread.contexts;
  thread.round = 0;
  thread.repeat = 0;
  thread.stopped = 0;
  thread.result = 0;
  thread.noted = thread.packets;
  thread.active = 1;
  return Mode::Staged;
}

int end_run(heddle_thread& thread) {
  thread.active = 0;
  if (thread.limit_end != thread.contexts + thread.limit * thread.step) thread.limit = 0; // it was closed
  thread.round = HEDDLE_NONE;
  thread.copies = nullptr;
  if (void* exception = thread.exception) {
    thread.exception = nullptr;
    heddle_resume_unwinding(exception);
  }
  return thread.result;
}

void note_batch(heddle_thread& thread, uint64_t begun) {
  const uint64_t packets = begun - thread.noted;
  thread.noted = begun;
  if (packets == 0) return;
  if (counting()) count_batch_received(thread, packets);
  const unsigned twice = 2 * thread.pause;
  thread.pause = packets >= thread.least ? 0 : twice == 0 ? 1 : twice > most_pause ? most_pause : twice;
  thread.pause_left = thread.pause;
}

void nothing_received(heddle_thread& thread) {
  note_batch(thread, thread.packets - 1); // all but the one that runs, which has none yet
  if (thread.pause_left == 0 || thread.round != 0) return;
  // No other one begins in this batch.
  thread.repeat = HEDDLE_NONE;
  thread.limit_end = thread.current + thread.step;
  thread.limit_end->stage = HEDDLE_NONE;
}

namespace {

// Until the loop is left, or, where batches were too small, it is time to try one: 0.
int run_one_by_one(heddle_thread& thread, int (*body)(void* env), void* env) {
  for (;;) {
    if (const int result = body(env)) return result;
    if (counting()) count_one(thread);
    if (thread.pause_left != 0 && --thread.pause_left == 0) return 0;
  }
}

// Until the loop is left, or batches are too small: 0.
int run_staged(heddle_thread& thread, int (*body)(void* env), void* env, bool count_known) {
  thread.body = body;
  thread.env = env;
  do {
    heddle_context* context = thread.contexts;
    do {
      thread.round = 0; // a packet that ran alone has changed it
      run_context(thread, *context);
      context = thread.current + thread.step;
    } while (!thread.stopped && context < thread.limit_end);
    thread.used_end = context;
    finish_batch(thread);
    // Of the last one nobody knows whether it was a packet, or the loop's last test.
    if (!count_known) note_batch(thread, thread.packets - (thread.stopped ? 1 : 0));
  } while (!thread.stopped && thread.pause_left == 0);
  return end_run(thread);
}

} // namespace

} // namespace heddle::runtime

using namespace heddle::runtime;

extern "C" {

int heddle_run_loop(int (*body)(void* env), void* env, int64_t count) {
  struct heddle_thread& thread = heddle_this_thread;
  const unsigned least = least_batch_of(body);
  for (bool first = true;; first = false) {
    const Mode mode = begin_run(thread, count, least);
    if (mode == Mode::Nested) return heddle_run_nested(&thread, body, env);
    if (first && counting()) count_received(thread, count);
    const int result =
        mode == Mode::Plain ? run_one_by_one(thread, body, env) : run_staged(thread, body, env, count >= 0);
    if (result != 0) return result;
  }
}

// The exit of the earliest packet counts: in the program as written no later one has run.
void heddle_body_stopped(struct heddle_thread* thread, int result) {
  if (thread->stopped && thread->stopped_at <= thread->current) return;
  thread->stopped = 1;
  thread->stopped_at = thread->current;
  thread->result = result;
}

void heddle_body_threw(struct heddle_thread* thread, void* exception) {
  if (thread->exception != nullptr && thread->exception_at <= thread->current)
    return heddle_delete_exception(exception);
  if (thread->exception != nullptr) heddle_delete_exception(thread->exception);
  thread->exception = exception;
  thread->exception_at = thread->current;
  thread->stopped = 1;
  thread->stopped_at = thread->current;
}

void heddle_set_batch(unsigned batch) {
  __atomic_store_n(&heddle_batch_limit, batch > max_batch ? max_batch : batch, __ATOMIC_RELAXED);
}

unsigned heddle_batch(void) {
  return current_batch();
}

unsigned heddle_in_flight(void) {
  const struct heddle_thread& thread = heddle_this_thread;
  if (!thread.active) return 0;
  unsigned count = 0;
  for (unsigned i = 0; i < thread.limit; ++i) {
    const heddle_context& context = thread.contexts[i * thread.step];
    count += (context.stage != 0 && context.stage != HEDDLE_NONE) || &context == thread.current;
  }
  return count;
}

void heddle_get_counters(struct heddle_counters* counters) {
  counters->packets = heddle_this_thread.packets;
  counters->batches = heddle_this_thread.batches;
  counters->crossings = heddle_this_thread.crossings;
  counters->alone = heddle_this_thread.alone;
  counters->deferred = heddle_this_thread.deferred;
  counters->visits = heddle_this_thread.visits;
  counters->held = heddle_this_thread.held;
}

} // extern "C"
