// Every load and store of the checked program comes by here.
#include "watch.h"

#include <errno.h>

namespace heddle::dependencies {

__thread Thread this_thread __attribute__((tls_model("initial-exec"))) = {};

namespace {

// Which relaxation lets the pair through, if any.
Relaxation relaxation_of(const Thread& thread, Kind first, Kind second, uint64_t address) {
  if (is_scratch(thread, address)) return Relaxation::Scratch;
  if (address - reinterpret_cast<uint64_t>(&errno) < sizeof errno) return Relaxation::Errno;
  if (const uint32_t common = first.regions & second.regions; common != 0)
    return common & allocator_region ? Relaxation::Allocator
           : common & lock_region    ? Relaxation::Lock
                                     : Relaxation::Commuting;
  return first.same_update(second) ? Relaxation::Commutative : Relaxation::None;
}

Kind kind_of(const Thread& thread, uint64_t begin, uint64_t size, uint32_t what) {
  unsigned bits = (what & what_write) != 0;
  if (unsigned op = what >> what_op_shift; op != 0)
    bits |= op << 1 | unsigned(begin & 7) << 5 | unsigned(size & 0x1f) << 8;
  // Output and locks within a region keep their order.
  return {bits, begin < outside_memory ? thread.regions : 0, thread.key_hash};
}

struct Access {
  uint64_t begin;
  Kind kind;
  uint32_t place;
  uint32_t passed; // earlier packets have left this stage behind: all stages, if this one is alone
};

void reverse(const Thread& thread, const Record& first, const Access& second, uint64_t address) {
  Pair pair = {};
  pair.first_place = first.place;
  pair.second_place = second.place;
  pair.relaxation = relaxation_of(thread, first.kind, second.kind, address);
  if (pair.relaxation == Relaxation::None && ordered_by_key(thread, first.packet, first.stage))
    pair.relaxation = Relaxation::Keyed;
  pair.first_writes = first.kind.writes();
  pair.second_writes = second.kind.writes();
  pair.count = 1;
  // In 64 bits, for it may be the higher of the two.
  pair.first_packet = thread.packet + first.packet - thread.in_batch;
  pair.second_packet = thread.packet;
  pair.batch = thread.batch;
  pair.first_stage = first.stage;
  pair.second_stage = thread.stage;
  pair.address = address;
  report(pair);
}

void compare(const Thread& thread, const Access& access, uint64_t granule, uint8_t bytes) {
  for (uint32_t i = thread.shadow.find(granule); i != 0;) {
    const Record& record = thread.shadow.record(i);
    i = record.next;
    const uint8_t common = record.bytes & bytes;
    if (common == 0 || record.stage <= access.passed || record.packet == thread.in_batch) continue;
    if (!record.kind.writes() && !access.kind.writes()) continue;
    reverse(thread, record, access, granule * 8 + unsigned(__builtin_ctz(common)));
  }
}

} // namespace

void access(Thread& thread, uint64_t begin, uint64_t size, uint32_t what, uint32_t place) {
  ++thread.accesses;
  const Access made = {begin, kind_of(thread, begin, size, what), place,
                       thread.alone ? ~0u : last_ordered(thread, thread.stage)};
  if (thread.scratch_count != 0) touch_scratch(thread, begin, begin + size, what & what_write, place);
  const bool reversible = made.passed < thread.highest, recorded = thread.stage > 0;
  if (!reversible && !recorded) return;
  thread.watching = false; // a signal handler that interrupts this has to stay out
  const uint64_t end = begin + size;
  if (reversible)
    thread.shadow.each(begin, end,
                       [&](uint64_t granule, uint8_t bytes) { compare(thread, made, granule, bytes); });
  if (recorded) {
    if (thread.stage > thread.highest) thread.highest = thread.stage;
    for (uint64_t granule = begin / 8; granule * 8 < end; ++granule) {
      const Record record = {
          made.kind, thread.stage, place, thread.in_batch, 0, Shadow::bytes_of(granule, begin, end)};
      if (!thread.shadow.note(granule, record)) __atomic_fetch_add(&file->lost_records, 1, __ATOMIC_RELAXED);
    }
  }
  thread.watching = true;
}

void new_memory(Thread& thread, const void* begin, size_t size) {
  if (!thread.watching) return;
  thread.watching = false;
  const auto address = reinterpret_cast<uint64_t>(begin);
  thread.shadow.forget(address, address + size);
  thread.watching = true;
}

} // namespace heddle::dependencies

using namespace heddle::dependencies;

extern "C" {

HEDDLE_LIGHT void heddle_dependencies_access(const void* address, uint32_t what, uint32_t place);
HEDDLE_LIGHT void heddle_dependencies_range(const void* address, size_t size, uint32_t what, uint32_t place);

void heddle_dependencies_access(const void* address, uint32_t what, uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching || on_own_stack(thread, address)) return;
  if (!inside_packet(thread, __builtin_frame_address(0))) return;
  access(thread, reinterpret_cast<uint64_t>(address), what & what_size, what, place);
}

void heddle_dependencies_range(const void* address, size_t size, uint32_t what, uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching || size == 0 || on_own_stack(thread, address)) return;
  if (!inside_packet(thread, __builtin_frame_address(0))) return;
  access(thread, reinterpret_cast<uint64_t>(address), size, what, place);
}
}
