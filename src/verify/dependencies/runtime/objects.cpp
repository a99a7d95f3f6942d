// What an address belongs to, for people: only asked once per pair of places.
#include "watch.h"

#include "memory.h"

extern "C" {

// The program's variables, from the instrumented module. Thread-local ones have no constant address.
struct heddle_dependencies_global {
  const void* address; // null: thread-local
  uint64_t size;
};
extern const heddle_dependencies_global heddle_dependencies_globals[];
extern const uint32_t heddle_dependencies_global_count;
const void* heddle_dependencies_thread_local(uint32_t global);
}

namespace heddle::dependencies {
namespace {

// Live allocations by their start: open addressing; `place` 0 with a start is one that ended.
struct Allocation {
  uint64_t start;
  uint64_t size;
  uint32_t place;
};

Allocation* table = nullptr;
size_t table_size = 0, table_used = 0;
unsigned table_lock = 0;

Allocation& entry_of(uint64_t start) {
  size_t at = ((start >> 4) * 0x9e3779b97f4a7c15u) >> 20;
  while (table[at &= table_size - 1].start != 0 && table[at].start != start)
    ++at;
  return table[at];
}

bool make_room() {
  if (2 * (table_used + 1) <= table_size) return true;
  Allocation* const old = table;
  const size_t old_size = table_size;
  size_t live = 0;
  for (size_t i = 0; i < old_size; ++i)
    live += old[i].place != 0;
  const size_t size = old_size == 0 ? 1 << 12 : 4 * live > old_size ? 2 * old_size : old_size;
  auto* fresh = static_cast<Allocation*>(fresh_memory(size * sizeof(Allocation)));
  if (fresh == nullptr) return false;
  table = fresh;
  table_size = size;
  table_used = live;
  for (size_t i = 0; i < old_size; ++i)
    if (old[i].place != 0) entry_of(old[i].start) = old[i];
  return_memory(old, old_size * sizeof(Allocation));
  return true;
}

bool describe_heap(uint64_t address, Pair& pair) {
  const SpinLock lock(&table_lock);
  for (size_t i = 0; lock.held() && i < table_size; ++i) {
    const Allocation& block = table[i];
    if (block.place == 0 || address < block.start || address - block.start >= block.size) continue;
    pair.object_kind = ObjectKind::Heap;
    pair.object = block.place;
    pair.offset = address - block.start;
    pair.object_size = block.size;
    return true;
  }
  return false;
}

bool describe_global(uint64_t address, Pair& pair) {
  for (uint32_t i = 0; i < heddle_dependencies_global_count; ++i) {
    const heddle_dependencies_global& global = heddle_dependencies_globals[i];
    const void* start = global.address ? global.address : heddle_dependencies_thread_local(i);
    const uint64_t offset = address - reinterpret_cast<uint64_t>(start);
    if (offset >= global.size) continue;
    pair.object_kind = global.address ? ObjectKind::Global : ObjectKind::Thread;
    pair.object = i;
    pair.offset = offset;
    pair.object_size = global.size;
    return true;
  }
  return false;
}

} // namespace

void remember_allocation(const void* start, size_t size, uint32_t place) {
  const SpinLock lock(&table_lock);
  if (!lock.held() || !make_room()) return;
  const auto address = reinterpret_cast<uint64_t>(start);
  Allocation& entry = entry_of(address);
  table_used += entry.start == 0;
  entry = {address, size, place};
}

size_t forget_allocation(const void* start) {
  const SpinLock lock(&table_lock);
  if (!lock.held() || table_size == 0) return 0;
  Allocation& entry = entry_of(reinterpret_cast<uint64_t>(start));
  if (entry.place == 0) return 0;
  entry.place = 0;
  return entry.size;
}

void describe_address(const Thread& thread, uint64_t address, Pair& pair) {
  if (address & outside_memory) {
    pair.object_kind = ObjectKind(address >> outside_kind_shift & 0x7f);
    pair.object = uint32_t(address >> 3);
    return;
  }
  if (describe_global(address, pair) || describe_heap(address, pair)) return;
  const auto* at = reinterpret_cast<const char*>(address);
  if (at >= thread.stack_low && at < thread.stack_high) {
    pair.object_kind = ObjectKind::Stack;
    pair.offset = uint64_t(at - thread.boundary);
  }
}

} // namespace heddle::dependencies
