// Packets, batches and stages of a program that runs in its original order.
//
// The loops are those of src/runtime/runtime.h, one packet after the other. What is counted is what the staging
// runtime would do: sites raise the packet's stage, a gate makes it alone (its stage then stays), and a batch ends
// when as many packets as it may hold have been suspended or when the loop is left (src/runtime/schedule.cpp). An interleaved body
// with no ordered stage behind the first has longer batches, of which no more are in flight at once (src/transform/interleave.cpp).
//
// A packet that is alone in stage k comes after all packets before it, whatever they still had to do; so as the later
// of two it is reversed with nothing. Later packets have passed the stages below k by then: as the earlier of two it
// counts as being in stage k to its end.
//
// A body that is left by longjmp, an exception or the end of its thread is noticed when a frame above the loop's runs
// on. Then, as when it returns non-zero, it must have been in stage 0: else later packets, which never run in the
// original, have begun.
#include "watch.h"

#include "runtime/internal.h"
#include "runtime/keys.h"

#include <pthread.h>
#include <stdlib.h>

namespace heddle::dependencies {
namespace {

constexpr uint32_t usual_batch = 32;
constexpr uint32_t loop_place = 1; // of the table of places: a packet leaves the loop

void find_stack(Thread& thread) {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  thread.stack_low = static_cast<const char*>(low);
  thread.stack_high = thread.stack_low + size;
  release_at_end(thread);
}

void leave_loop(const Thread& thread) {
  if (thread.stage == 0) return;
  Pair pair = {};
  pair.first_place = pair.second_place = loop_place;
  pair.first_writes = pair.second_writes = 1;
  pair.object_kind = ObjectKind::LoopControl;
  pair.count = 1;
  pair.first_packet = thread.packet;
  pair.second_packet = thread.packet + 1;
  pair.batch = thread.batch;
  pair.first_stage = thread.stage;
  pair.address = outside_address(ObjectKind::LoopControl, 0);
  report(pair);
}

void suspended_with_lock(const Thread& thread, uint32_t stage) {
  Pair pair = {};
  pair.first_place = pair.second_place = thread.lock_place;
  pair.object_kind = ObjectKind::HeldLock;
  pair.count = 1;
  pair.first_packet = thread.packet;
  pair.second_packet = thread.packet + 1;
  pair.batch = thread.batch;
  pair.first_stage = thread.stage;
  pair.second_stage = stage;
  pair.address = outside_address(ObjectKind::HeldLock, 0);
  report(pair);
}

// Did the packet use a context of its own up, or did it make room for the next one?
bool held_context(const Thread& thread) {
  return thread.stage > 0 || thread.alone;
}

// Packets may pass each other everywhere but in the first stage: an interleaved body, of which a packet begins where another ends.
bool refills(const Thread& thread) {
  const heddle_schedule* schedule = thread.schedule;
  return schedule != nullptr && schedule->range_count == 0 && schedule->stages > 1 &&
         schedule->last_ordered[schedule->stages - 1] == 0;
}

bool nested(Thread& thread, const void* frame) {
  if (thread.nested_boundary == nullptr) return false;
  if (static_cast<const char*>(frame) < thread.nested_boundary) return true;
  thread.nested_boundary = nullptr; // left by an exception
  return false;
}

} // namespace

uint32_t batch_limit() {
  static uint32_t limit = no_limit;
  if (limit != no_limit) return limit;
  const char* text = getenv("HEDDLE_BATCH");
  const long value = text ? strtol(text, nullptr, 10) : long(usual_batch);
  return limit = value < 0 ? 0 : value > most_in_flight ? most_in_flight : uint32_t(value);
}

bool inside_packet(Thread& thread, const void* frame) {
  if (heddle_this_thread.interrupted != HEDDLE_NONE) return false; // a signal handler
  const auto* at = static_cast<const char*>(frame);
  if (__builtin_expect(at < thread.boundary || at >= thread.stack_high, 1)) return true;
  thread.watching = false;
  leave_loop(thread);
  end_batch(thread);
  return false;
}

void begin_packet(Thread& thread, const void* frame) {
  if (thread.stack_high == nullptr) find_stack(thread);
  if (thread.in_batch == 0) thread.batch = __atomic_fetch_add(&file->batches, 1, __ATOMIC_RELAXED);
  thread.packet = __atomic_fetch_add(&file->packets, 1, __ATOMIC_RELAXED);
  ++thread.in_batch;
  thread.boundary = static_cast<const char*>(frame);
  thread.nested_boundary = nullptr;
  thread.stage = 0;
  thread.alone = false;
  thread.regions = 0;
  thread.locks = 0;
  begin_keys(thread);
  heddle_this_thread.round = 0;
  thread.watching = true;
}

void end_packet(Thread& thread, int result) {
  thread.watching = false;
  heddle_this_thread.round = HEDDLE_NONE;
  if (result != 0) leave_loop(thread);
  if (thread.stage > 0) __atomic_fetch_add(&file->staged_packets, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&file->accesses, thread.accesses, __ATOMIC_RELAXED);
  thread.accesses = 0;
  if (refills(thread)) {
    if (++thread.used == HEDDLE_INTERLEAVED_BATCH) end_batch(thread);
    return;
  }
  if (!held_context(thread)) return;
  if (++thread.used == batch_limit()) end_batch(thread);
}

void end_batch(Thread& thread) {
  thread.shadow.empty();
  thread.highest = thread.in_batch = thread.used = 0;
}

} // namespace heddle::dependencies

using namespace heddle::dependencies;

extern "C" {

// What the staging runtime has of a thread. Of all that, signals.cpp needs to know whether a packet runs.
__thread struct heddle_thread heddle_this_thread __attribute__((tls_model("initial-exec"))) = {};

// A site: the packet has finished every stage below.
HEDDLE_HIDDEN void heddle_dependencies_stage(uint32_t stage) {
  Thread& thread = this_thread;
  const void* frame = __builtin_frame_address(0);
  if (!thread.watching || thread.alone || !inside_packet(thread, frame) || nested(thread, frame)) return;
  if (stage <= thread.stage) return;
  if (thread.locks > 0) suspended_with_lock(thread, stage);
  thread.stage = stage;
}

// A gate. That before a way out, heddle_leaving, is the staging runtime's, which comes here.
void heddle_alone(const char* /*place*/) {
  Thread& thread = this_thread;
  const void* frame = __builtin_frame_address(0);
  if (!thread.watching || thread.alone || !inside_packet(thread, frame) || nested(thread, frame)) return;
  thread.alone = true;
  __atomic_fetch_add(&file->alone, 1, __ATOMIC_RELAXED);
}

void heddle_claim(uint32_t key, const void* value, uint32_t fresh) {
  Thread& thread = this_thread;
  if (thread.watching && inside_packet(thread, __builtin_frame_address(0)))
    claim(thread, key, reinterpret_cast<uint64_t>(value), fresh != 0);
}

void heddle_forget_claims() {} // begin_packet

int heddle_run_loop(int (*body)(void* env), void* env, int64_t count) {
  Thread& thread = this_thread;
  const void* frame = __builtin_frame_address(0);
  int result = 0;
  const bool inner = thread.watching && inside_packet(thread, frame);
  if (inner || file == nullptr || count == 0 || count == 1 || batch_limit() <= 1) {
    const char* outer = thread.nested_boundary;
    if (inner && outer == nullptr) thread.nested_boundary = static_cast<const char*>(frame);
    uint64_t packets = 1;
    for (; (result = body(env)) == 0; ++packets) {
    }
    if (inner) thread.nested_boundary = outer;
    if (!inner && file != nullptr) __atomic_fetch_add(&file->packets, packets, __ATOMIC_RELAXED);
    return result;
  }
  end_batch(thread);
  thread.schedule = heddle::runtime::staged_body(body);
  do {
    begin_packet(thread, frame);
    result = body(env);
    end_packet(thread, result);
  } while (result == 0);
  end_batch(thread);
  return result;
}
}
