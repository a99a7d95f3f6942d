// What the parts of the checker's runtime share.
#pragma once

#include "format.h"
#include "shadow.h"

#include <stddef.h>
#include <stdint.h>

struct heddle_schedule; // src/runtime/runtime.h

#define HEDDLE_HIDDEN __attribute__((visibility("hidden")))
// Called before nearly every load and store: what is not needed of the caller's registers is left alone.
#define HEDDLE_LIGHT __attribute__((preserve_most, visibility("hidden")))

namespace heddle::dependencies {

struct ScratchVariable; // scratch.cpp
struct PacketKeys;      // keys.cpp

struct Thread {
  bool watching;    // a packet of a batch runs, and the runtime itself does not; read at every access
  bool alone;       // a gate made the packet run alone; its stage stays as it is
  uint32_t regions; // in which it is (format.h)
  uint32_t stage;
  uint32_t highest; // stage of any access that was recorded in this batch
  int32_t locks;    // that the packet holds; the last one was taken at `lock_place`
  uint32_t lock_place;
  uint32_t in_batch, used; // packets of the batch so far, and those that would hold a context
  uint64_t packet, batch;
  const char* boundary;        // frames below are the packet's own
  const char* nested_boundary; // likewise of a packet loop that the body runs; null: none
  const char *stack_low, *stack_high;
  uint64_t accesses;
  Shadow shadow;
  ScratchVariable* scratch; // of which each packet in flight has a copy when staged
  uint32_t scratch_count;
  void** own_objects;              // of each packet of the batch
  const heddle_schedule* schedule; // of the body whose packets run; null: it has no sites
  PacketKeys* keys;                // of the batch's packets
  uint32_t keys_size, key_hash;    // key_hash: of all that the packet has claimed
};

extern HEDDLE_HIDDEN __thread Thread this_thread __attribute__((tls_model("initial-exec")));
extern HEDDLE_HIDDEN File* file; // null: nothing is checked

// Is the address in a frame of the packet's own? Staged, each packet has a stack to itself.
inline bool on_own_stack(const Thread& thread, const void* address) {
  const auto* at = static_cast<const char*>(address);
  return at >= thread.stack_low && at < thread.boundary;
}

// watch.cpp. An access by this thread's packet; `begin` may be one of the addresses below.
HEDDLE_HIDDEN void access(Thread& thread, uint64_t begin, uint64_t size, uint32_t what, uint32_t place);
// The memory is new, or its owner let it go: what was recorded of it is no dependence.
HEDDLE_HIDDEN void new_memory(Thread& thread, const void* begin, size_t size);

// packets.cpp
constexpr uint32_t no_limit = ~0u, most_in_flight = 1024;
HEDDLE_HIDDEN void begin_packet(Thread& thread, const void* frame);
HEDDLE_HIDDEN void end_packet(Thread& thread, int result);
HEDDLE_HIDDEN void end_batch(Thread& thread);
// At most so many packets are in flight; 1 or less: none is staged.
HEDDLE_HIDDEN uint32_t batch_limit();
// Does a packet run that was not left by a jump or an exception?
HEDDLE_HIDDEN bool inside_packet(Thread& thread, const void* frame);

// scratch.cpp
HEDDLE_HIDDEN void add_scratch(Thread& thread, const void* begin, uint32_t size, bool begins_as_before);
HEDDLE_HIDDEN void release_scratch(Thread& thread);
HEDDLE_HIDDEN bool is_scratch(const Thread& thread, uint64_t address);
// Reports a read of what the packet has not written.
HEDDLE_HIDDEN void touch_scratch(Thread& thread, uint64_t begin, uint64_t end, bool writes, uint32_t place);

// own_objects.cpp
HEDDLE_HIDDEN void release_own_objects(Thread& thread);

// keys.cpp
HEDDLE_HIDDEN void begin_keys(Thread& thread);
HEDDLE_HIDDEN void release_keys(Thread& thread);
HEDDLE_HIDDEN void claim(Thread& thread, uint32_t key, uint64_t value, bool fresh);
// The highest stage up to this one that packets pass in packet order.
HEDDLE_HIDDEN uint32_t last_ordered(const Thread& thread, uint32_t stage);
// Does a key keep an access of an earlier packet of the batch, in a stage, before what the packet does now?
HEDDLE_HIDDEN bool ordered_by_key(const Thread& thread, uint32_t earlier, uint32_t earlier_stage);

// threads.cpp. What the thread holds goes with it.
HEDDLE_HIDDEN void release_at_end(Thread& thread);

// log.cpp. Counts the pair; `pair` describes it in case that it is new.
HEDDLE_HIDDEN void report(const Pair& pair);

// objects.cpp
HEDDLE_HIDDEN void remember_allocation(const void* start, size_t size, uint32_t place);
// Forgets the allocation and returns its size, 0 where it is not known.
HEDDLE_HIDDEN size_t forget_allocation(const void* start);
HEDDLE_HIDDEN void describe_address(const Thread& thread, uint64_t address, Pair& pair);

// What has no address of its own gets one where no memory is: in the half of the kernel.
constexpr uint64_t outside_memory = uint64_t(1) << 63;
constexpr unsigned outside_kind_shift = 56;
constexpr uint64_t outside_address(ObjectKind kind, uint64_t number) {
  return outside_memory | uint64_t(kind) << outside_kind_shift |
         ((number * 8) & ((uint64_t(1) << outside_kind_shift) - 1));
}

} // namespace heddle::dependencies
