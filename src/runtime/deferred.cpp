// Output that is put off (docs/design.md, "Deferred output").
//
// A packet that writes in the middle of its body would write before an earlier packet that has yet to come there.
// So the call is kept, arguments and data, and made when all earlier packets have made theirs. The order of the
// calls that are made is the original's: packet order, and program order within a packet.
//
// Each context has a queue. Packets that use one context one after another (those that end without being
// suspended) append to the same queue, and contexts lie in packet order, so going through the contexts and through
// each queue is the order wanted. `oldest` is the first context whose packet has not ended, as far as known. A
// packet in that context keeps nothing: it makes what is left in its queue and goes on with direct calls. So the
// first packet of a batch never copies anything, and neither does any in the last stage.
//
// Kept calls are made
//   - when a later call finds that its packet is the oldest, and at the end of the batch (schedule.cpp);
//   - when a packet becomes alone: all before it have ended then, and it is the oldest (alone.cpp). Whatever
//     observes a channel, exits or does not return stands behind such a gate;
//   - before the program aborts: what the packet that runs and those before it have kept; those after it would not
//     have run.
//
// The memory of a queue is mapped when it is first used, and kept from batch to batch. A packet that keeps more than
// `most_kept` becomes alone instead, as does one for which there is no memory: that is always right.
#include "deferred.h"
#include "kept.h"
#include "sends.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

namespace heddle::runtime {
namespace {

constexpr size_t least_kept = 16 << 10, most_kept = 1 << 20;
constexpr const char* no_room = "output that there is no room to keep";

heddle_kept& kept_of(const heddle_thread& thread, const heddle_context* context) {
  return thread.kept[size_t(context - thread.contexts) / thread.step];
}

void make_kept(heddle_kept& kept, Sends& sends) {
  const size_t used = kept.used;
  kept.used = 0; // a crash on the way makes none twice
  for (size_t at = 0; at < used;) {
    auto* call = reinterpret_cast<KeptCall*>(kept.bytes + at);
    auto* payload = reinterpret_cast<unsigned char*>(call + 1);
    at += call->size;
    if (call->make == make_send) {
      sends.add(payload);
    } else {
      sends.flush();
      call->make(payload);
    }
  }
}

// Makes what the contexts from `oldest` to `end` keep. A thread that is cancelled meanwhile is cancelled after it.
void make_until(heddle_thread& thread, const heddle_context* end) {
  if (thread.oldest >= end) return;
  const int saved_errno = errno;
  bool cancel_off = false;
  int cancel_state = 0;
  Sends sends;
  for (const heddle_context* context = thread.oldest; context < end; context += thread.step) {
    heddle_kept& kept = kept_of(thread, context);
    if (kept.used == 0) continue;
    if (!cancel_off) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    cancel_off = true;
    make_kept(kept, sends);
  }
  sends.flush();
  if (cancel_off) pthread_setcancelstate(cancel_state, nullptr);
  errno = saved_errno;
}

} // namespace

size_t size_of_kept() {
  return sizeof(heddle_kept);
}

void forget_kept(heddle_thread& thread) {
  for (unsigned i = 0; thread.kept != nullptr && i < thread.capacity; ++i) {
    heddle_kept& kept = thread.kept[i];
    if (kept.bytes != nullptr) munmap(kept.bytes, kept.capacity);
    kept = {};
  }
}

bool settle_output(heddle_thread& thread) {
  heddle_context* context = thread.oldest;
  while (context < thread.current && context->stage == HEDDLE_NONE)
    context += thread.step;
  const bool is_next = context == thread.current;
  make_until(thread, is_next ? context + thread.step : context);
  thread.oldest = context;
  return is_next;
}

void make_output_up_to_current(heddle_thread& thread) {
  if (thread.kept != nullptr) make_until(thread, thread.current + thread.step);
}

void make_all_output(heddle_thread& thread) {
  make_until(thread, thread.kept_end);
  thread.oldest = thread.kept_end = thread.contexts;
}

KeptSlot::KeptSlot(void (*make)(unsigned char* payload), size_t bytes) : make_(make) {
  heddle_thread& thread = heddle_this_thread;
  if (__builtin_expect(!thread.active, 1)) return;
  if (thread.in_handler) return; // in the middle of anything, maybe of this
  // Out of a body by longjmp: the batch is abandoned, and what it has kept comes first.
  if (!on_private_stack(thread))
    make_output_up_to_current(thread);
  else if (!settle_output(thread) && !reserve(bytes))
    heddle_alone(no_room);
}

bool KeptSlot::grow(size_t bytes) {
  if (reserve(bytes)) return true;
  heddle_alone(no_room);
  return false;
}

bool KeptSlot::reserve(size_t bytes) {
  heddle_thread& thread = heddle_this_thread;
  heddle_kept& kept = kept_of(thread, thread.current);
  payload_ = nullptr;
  if (bytes > most_kept) return false;
  const size_t wanted = kept.used + sizeof(KeptCall) + bytes + alignof(KeptCall);
  if (wanted > kept.capacity) {
    size_t capacity = kept.capacity != 0 ? kept.capacity : least_kept;
    while (capacity < wanted)
      capacity *= 2;
    if (capacity > most_kept) return false;
    void* moved = kept.bytes == nullptr
                      ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : mremap(kept.bytes, kept.capacity, capacity, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return false;
    kept.bytes = static_cast<unsigned char*>(moved);
    kept.capacity = capacity;
  }
  payload_ = kept.bytes + kept.used + sizeof(KeptCall);
  bytes_ = bytes;
  return true;
}

void KeptSlot::drop() {
  payload_ = nullptr;
  heddle_alone("output that cannot be put off");
}

void KeptSlot::keep(size_t bytes) {
  heddle_thread& thread = heddle_this_thread;
  heddle_kept& kept = kept_of(thread, thread.current);
  const size_t payload = (bytes + alignof(KeptCall) - 1) / alignof(KeptCall) * alignof(KeptCall);
  *reinterpret_cast<KeptCall*>(kept.bytes + kept.used) = {make_, sizeof(KeptCall) + payload};
  __atomic_signal_fence(__ATOMIC_RELEASE); // a signal handler may abort, and make what is there
  kept.used += sizeof(KeptCall) + payload;
  if (thread.kept_end <= thread.current) thread.kept_end = thread.current + thread.step;
  ++thread.deferred;
}

} // namespace heddle::runtime

void heddle_make_output() {
  heddle_thread& thread = heddle_this_thread;
  if (thread.active) heddle::runtime::make_output_up_to_current(thread);
}
