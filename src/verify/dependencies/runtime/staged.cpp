// Packets of a program that really is staged: linked with src/runtime in place of packets.cpp, so that the order is the
// one that its sites, gates and scheduler make.
//
// The question is another one here: packets are numbered as they start, and an access by a packet with a lower number
// than one that touched the same byte before it has come too late. That is what the shadow answers if each packet's
// number is taken for its stage. Private stacks lie in one mapping, which is left out. Nobody waits from one batch to
// the next, so the shadow starts anew when the runtime's count of batches moves.
#include "watch.h"

#include "runtime/internal.h"

namespace heddle::dependencies {
namespace {

constexpr unsigned most_contexts = 1024;

struct Numbers {
  uint32_t last;                   // packet that was started
  uint32_t of[most_contexts];      // the packet in each context
  uint64_t base, batches, counted; // packets and batches of the file before; crossings counted
};

__thread Numbers numbers __attribute__((tls_model("initial-exec")));

bool follows(const heddle_thread& staged) {
  return staged.active && staged.current != nullptr;
}

size_t context_number(const heddle_thread& staged) {
  return size_t(staged.current - staged.contexts) / staged.step % most_contexts;
}

void begin_batch(Thread& thread, const heddle_thread& staged) {
  thread.shadow.empty();
  thread.highest = 0;
  numbers.batches = staged.batches;
  numbers.last = 0;
  thread.batch = __atomic_fetch_add(&file->batches, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&file->staged_packets, staged.crossings - numbers.counted, __ATOMIC_RELAXED);
  numbers.counted = staged.crossings;
  numbers.base = __atomic_load_n(&file->packets, __ATOMIC_RELAXED);
}

} // namespace

// Whose access is it?
bool inside_packet(Thread& thread, const void* /*frame*/) {
  const heddle_thread& staged = heddle_this_thread;
  if (!follows(staged)) {
    thread.watching = false;
    return false;
  }
  if (staged.interrupted != HEDDLE_NONE) return false; // a signal handler
  thread.stage = thread.in_batch = numbers.of[context_number(staged)];
  thread.packet = numbers.base + thread.stage;
  return true;
}

} // namespace heddle::dependencies

using namespace heddle::dependencies;

// At the entry of a packet body.
extern "C" HEDDLE_HIDDEN void heddle_dependencies_packet() {
  const heddle_thread& staged = heddle_this_thread;
  if (file == nullptr) return;
  if (!staged.active) {
    __atomic_fetch_add(&file->packets, 1, __ATOMIC_RELAXED);
    return;
  }
  if (!follows(staged) || staged.round != 0) return; // a loop within a packet
  Thread& thread = this_thread;
  if (thread.stack_high == nullptr) release_at_end(thread);
  if (numbers.last == 0 || staged.batches != numbers.batches) begin_batch(thread, staged);
  numbers.of[context_number(staged)] = ++numbers.last;
  __atomic_fetch_add(&file->packets, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&file->accesses, thread.accesses, __ATOMIC_RELAXED);
  thread.accesses = 0;
  thread.stack_low = reinterpret_cast<const char*>(staged.pool);
  thread.stack_high = thread.boundary = thread.stack_low + staged.pool_size;
  thread.watching = true;
}
