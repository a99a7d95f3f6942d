// Keys of the packets of one batch. The scheduler keeps packets with one key in order within the key's range of stages
// (src/runtime/keys.cpp); so a pair of theirs there is reversed by the stages alone and in order by the key.
#include "memory.h"
#include "watch.h"

#include "runtime/keys.h"

#include <utility>

namespace heddle::dependencies {

struct PacketKeys {
  uint64_t held[16];   // by key
  uint64_t before[16]; // by key: what was held before the last claim that changed it,
  uint32_t stage[16];  // and the stage of that claim
  uint32_t fresh;      // a bit per key: claimed as that of a record that is filled at once
};

namespace {

using namespace heddle::runtime;

constexpr uint32_t first_packets = 64;

PacketKeys* keys_of(const Thread& thread, uint32_t packet) {
  return packet < thread.keys_size ? &thread.keys[packet] : nullptr;
}

bool make_room(Thread& thread) {
  uint32_t size = thread.keys_size ? thread.keys_size : first_packets;
  while (size <= thread.in_batch)
    size *= 2;
  auto* fresh = static_cast<PacketKeys*>(fresh_memory(size * sizeof(PacketKeys)));
  if (fresh == nullptr) return false;
  for (uint32_t i = 0; i < thread.keys_size; ++i)
    fresh[i] = thread.keys[i];
  release_keys(thread);
  thread.keys = fresh;
  thread.keys_size = size;
  return true;
}

} // namespace

void begin_keys(Thread& thread) {
  thread.key_hash = 0;
  if (thread.schedule == nullptr || thread.schedule->range_count == 0) return;
  if (thread.in_batch >= thread.keys_size && !make_room(thread)) return;
  thread.keys[thread.in_batch] = {};
}

void release_keys(Thread& thread) {
  return_memory(thread.keys, thread.keys_size * sizeof(PacketKeys));
  thread.keys = nullptr;
  thread.keys_size = 0;
}

uint32_t last_ordered(const Thread& thread, uint32_t stage) {
  const heddle_schedule* schedule = thread.schedule;
  return schedule != nullptr && stage < schedule->stages ? schedule->last_ordered[stage] : stage;
}

bool ordered_by_key(const Thread& thread, uint32_t earlier, uint32_t earlier_stage) {
  const heddle_schedule* schedule = thread.schedule;
  const PacketKeys* first = schedule ? keys_of(thread, earlier) : nullptr;
  const PacketKeys* second = schedule ? keys_of(thread, thread.in_batch) : nullptr;
  if (first == nullptr || second == nullptr) return false;
  for (uint32_t i = 0; i < schedule->range_count; ++i) {
    const heddle_key_range& range = schedule->ranges[i];
    if (earlier_stage > range.last) continue;
    // What the earlier packet surely has when the later one is to enter: what it claims in a stage that is closed by then.
    const bool closed = first->stage[range.key] <= last_ordered(thread, thread.stage);
    const uint64_t held = (closed ? first->held : first->before)[range.key];
    if (may_meet(held, second->held[range.key]) && thread.stage >= range.first && thread.stage <= range.last)
      return true;
    if (may_meet(first->held[range.key], second->held[range.key]) && (second->fresh >> range.key & 1))
      return true;
  }
  return false;
}

void claim(Thread& thread, uint32_t key, uint64_t value, bool fresh) {
  PacketKeys* own = thread.schedule ? keys_of(thread, thread.in_batch) : nullptr;
  if (own == nullptr) return;
  uint64_t& held = own->held[key];
  const uint64_t before = std::exchange(held, after_claim(held, value));
  if (held != before) {
    own->before[key] = before;
    own->stage[key] = thread.stage;
  }
  if (fresh || held == any_value) own->fresh |= 1u << key; // src/runtime/keys.cpp
  thread.key_hash = 0;
  for (uint64_t one : own->held)
    thread.key_hash = uint32_t(((thread.key_hash ^ one) * 0x9e3779b97f4a7c15u) >> 32);
}

} // namespace heddle::dependencies
