// Which packets may take part in the next round, in random states, against the rule at the head of src/runtime/keys.cpp.
// RUN: %clangxx -std=c++20 -O2 %s %rt -o %t
// RUN: %t | FileCheck %s
#include "runtime/internal.h"
#include "runtime/keys.h"

#include <cstdio>
#include <random>
#include <vector>

using namespace heddle::runtime;

constexpr unsigned keys = 3, stages = 10;
extern "C" const unsigned heddle_key_count = keys;

namespace {

struct State {
  heddle_thread& thread;
  const heddle_schedule& schedule;
  const std::vector<uint32_t> waits; // before anybody is held back
  std::vector<int> known;            // -1: not yet

  uint64_t key(unsigned packet, unsigned number) const { return thread.keys[packet * thread.step * keys + number]; }

  // Has an earlier packet left `last` behind when the turn of one that waits for `stage` comes?
  bool has_left(unsigned earlier, uint32_t stage, uint32_t last) {
    if (waits[earlier] == HEDDLE_NONE || waits[earlier] > last) return true;
    return waits[earlier] == stage && stage == last && may_enter(earlier);
  }

  bool may_enter(unsigned packet) {
    if (known[packet] >= 0) return known[packet] != 0;
    bool may = true;
    const uint32_t stage = waits[packet];
    for (unsigned earlier = 0; earlier != packet; ++earlier) {
      may &= has_left(earlier, stage, schedule.last_ordered[stage]) ||
             (waits[earlier] == stage && may_enter(earlier));
      for (uint32_t i = 0; i != schedule.range_count; ++i) {
        const heddle_key_range& range = schedule.ranges[i];
        if (range.first > stage || stage > range.last) continue;
        may &= has_left(earlier, stage, range.last) || !may_meet(key(packet, range.key), key(earlier, range.key));
      }
    }
    known[packet] = may;
    return may;
  }

  uint32_t round(unsigned& ready) {
    for (uint32_t stage = 1; stage != stages; ++stage) {
      ready = 0;
      for (unsigned packet = 0; packet != waits.size(); ++packet)
        ready += waits[packet] == stage && may_enter(packet);
      if (ready != 0) return stage;
    }
    return HEDDLE_NONE;
  }
};

[[noreturn]] void fail(const char* what, unsigned state) {
  printf("state %u: %s\n", state, what);
  exit(1);
}

} // namespace

int main() {
  std::mt19937 random(1);
  auto upto = [&](unsigned most) { return unsigned(random() % (most + 1)); };
  heddle_thread& thread = heddle_this_thread;
  if (!ensure_stacks(thread, 40)) fail("no memory", 0);
  unsigned with_meetings = 0, with_held = 0;
  for (unsigned number = 0; number != 200000; ++number) {
    uint32_t last_ordered[stages] = {};
    for (unsigned stage = 1; stage != stages; ++stage)
      last_ordered[stage] = upto(2) == 0 ? stage : last_ordered[stage - 1];
    heddle_key_range ranges[4];
    const unsigned range_count = 1 + upto(3);
    for (unsigned i = 0; i != range_count; ++i) {
      const uint32_t first = 1 + upto(stages - 2);
      ranges[i] = {upto(keys - 1), first, first + upto(stages - 1 - first), 0};
    }
    const heddle_schedule schedule = {nullptr, "body", last_ordered, ranges, stages, range_count, 2};

    const unsigned packets = 1 + upto(number % 2 ? 39 : 5), records = 1 + upto(200), odd = upto(40);
    std::vector<uint32_t> waits(packets);
    const unsigned lowest = 1 + upto(stages - 2);
    for (unsigned packet = 0; packet != packets; ++packet) {
      waits[packet] = upto(9) == 0 ? HEDDLE_NONE : lowest + upto(stages - 1 - lowest);
      thread.contexts[packet * thread.step].stage = waits[packet];
      for (unsigned key = 0; key != keys; ++key) {
        const uint64_t values[] = {unclaimed, any_value, no_record};
        thread.keys[packet * thread.step * keys + key] = upto(odd) == 0 ? values[upto(2)] : 8 * (1 + upto(records));
      }
    }
    thread.used_end = thread.contexts + packets * thread.step;
    thread.keys_changed = 1;

    State state{thread, schedule, waits, std::vector<int>(packets, -1)};
    const uint64_t held_before = thread.held;
    unsigned ready = 0, expected_ready = 0;
    const uint32_t stage = hold_back(thread, schedule, ready), expected = state.round(expected_ready);
    if (stage != expected) fail("another round", number);
    with_meetings += thread.keys_meet;
    with_held += thread.held != held_before;
    if (stage == HEDDLE_NONE) continue;
    if (ready != expected_ready) fail("another number of packets", number);
    for (unsigned packet = 0; packet != packets; ++packet)
      if (waits[packet] == stage &&
          (thread.contexts[packet * thread.step].stage == stage) != state.may_enter(packet))
        fail("another packet", number);
    release_held(thread);
    for (unsigned packet = 0; packet != packets; ++packet)
      if (thread.contexts[packet * thread.step].stage != waits[packet]) fail("a mark stays", number);
  }
  // CHECK: meetings in {{[1-9][0-9][0-9][0-9]+}} states, packets held back in {{[1-9][0-9][0-9][0-9]+}}
  printf("meetings in %u states, packets held back in %u\n", with_meetings, with_held);
}
