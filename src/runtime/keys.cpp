// Packets with the same key.
//
// Problem. Packets of one flow use one record, all along their path. Flows come in bursts, so nearly every batch has packets
// with equal keys; these have to keep their order where they use the record, and the others need not wait for them.
//
// Alternatives. To end the batch where a key repeats leaves nothing to stage (in the traffic at hand after 1.7 packets on average). To
// ask at every site whether the packet may go on costs every packet, and a table that is right at any time. The choice: the
// switch stays as it is and takes the next packet that waits for the stage that runs. Before each round the scheduler
// marks those packets that must not take part (in the context's stage, so that the comparison fails), and takes
// the marks away after it. What it finds stays true during the round: packets only move on, and nobody claims a key in a stage
// that could let somebody else into a range (src/plan/keyed.cpp).
//
// A packet may enter stage s when
//   - all earlier packets have left the last ordered stage up to s behind, and
//   - for every range with s in it, no earlier packet that may have the same key is still to do the range's last stage or one
//     before it.
// The earliest packet in flight may always go on, so there is no deadlock. Which round is next: the lowest stage that a
// packet may enter.
//
// Equal keys are found in a small hash table of the keys of the earlier packets, filled on the way through the contexts and
// emptied by a number that changes with each range.
#include "keys.h"

#include "internal.h"

#include <cstdlib>
#include <unistd.h>

namespace heddle::runtime {

namespace {

constexpr uint32_t held_mark = 0x80000000;

uint64_t* keys_of(const heddle_thread& thread, const heddle_context* context) {
  return thread.keys + size_t(context - thread.contexts) / thread.step * key_count();
}

bool in_flight(const heddle_context& context) {
  return context.stage != 0 && context.stage != HEDDLE_NONE;
}

// The keys of the packets before the one that is looked at, of one range.
class EarlierKeys {
public:
  explicit EarlierKeys(heddle_thread& thread)
      : table_(thread.key_table), mask_(thread.key_table_size - 1), number_(++thread.key_table_number) {}

  // May the packet that holds `key` meet an earlier one?
  bool meets(uint64_t key) const {
    if (key == no_record) return false;
    if (any_ || (count_ != 0 && (key == unclaimed || key == any_value))) return true;
    for (uint64_t at = place(key); table_[at & mask_].number == number_; ++at)
      if (table_[at & mask_].key == key) return true;
    return false;
  }

  void add(uint64_t key) {
    if (key == no_record) return;
    ++count_;
    any_ |= key == unclaimed || key == any_value;
    uint64_t at = place(key);
    for (; table_[at & mask_].number == number_; ++at)
      if (table_[at & mask_].key == key) return;
    table_[at & mask_] = {key, number_};
  }

private:
  static uint64_t place(uint64_t key) { return (key * 0x9e3779b97f4a7c15u) >> 32; }

  heddle_known_key* table_;
  uint64_t mask_, number_;
  unsigned count_ = 0;
  bool any_ = false;
};

// All earlier packets have ended. Whoever is ahead and has this record may have used it before it was filled.
void must_be_nobodys(const heddle_thread& thread, const heddle_schedule& schedule, uint32_t key,
                     uint64_t held) {
  for (uint32_t i = 0; i < schedule.range_count; ++i) {
    const heddle_key_range& range = schedule.ranges[i];
    if (range.key != key) continue;
    for (const heddle_context* later = thread.current + thread.step; later < thread.used_end;
         later += thread.step) {
      if ((later->stage & ~held_mark) <= range.first || keys_of(thread, later)[key] != held) continue;
      static const char message[] = "heddle: error: a packet on a rare path was given a fresh record that a "
                                    "later packet has used already\n"
                                    "heddle: hint: the declaration of `fresh` does not hold for this "
                                    "program: plan without it; HEDDLE_BATCH=1 "
                                    "switches staging off\n";
      (void)!write(STDERR_FILENO, message, sizeof message - 1);
      abort();
    }
  }
}

void hold(heddle_context& context) {
  context.stage |= held_mark;
}

bool is_held(const heddle_context& context) {
  return context.stage & held_mark;
}

// Marks the packets that wait for `stage` and come after one that has an ordered stage before it, or it, still to do.
void hold_for_order(heddle_thread& thread, uint32_t stage, uint32_t ordered) {
  bool behind = false;
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step) {
    if (!in_flight(*context)) continue;
    const uint32_t waits = context->stage & ~held_mark;
    if (behind && waits == stage) hold(*context);
    // Those of this round have left the stage when a later one's turn comes.
    behind |= waits <= ordered && (waits != stage || is_held(*context));
  }
}

void hold_for_key(heddle_thread& thread, uint32_t stage, const heddle_key_range& range) {
  EarlierKeys earlier(thread);
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step) {
    if (!in_flight(*context)) continue;
    const uint32_t waits = context->stage & ~held_mark;
    if (waits > range.last) continue;
    const uint64_t key = keys_of(thread, context)[range.key];
    if (waits == stage && !is_held(*context) && earlier.meets(key)) hold(*context);
    // Those of this round have left the range when a later one's turn comes, if this is its last stage.
    if (waits != stage || stage != range.last || is_held(*context)) earlier.add(key);
  }
}

unsigned count_at(const heddle_thread& thread, uint32_t stage) {
  unsigned count = 0;
  for (const heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step)
    count += context->stage == stage;
  return count;
}

// The lowest stage above `low` that a packet waits for.
uint32_t next_stage(const heddle_thread& thread, uint32_t low) {
  uint32_t next = HEDDLE_NONE;
  for (const heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step)
    if (in_flight(*context) && context->stage > low && context->stage < next) next = context->stage;
  return next;
}

} // namespace

void release_held(heddle_thread& thread) {
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step)
    if (in_flight(*context)) context->stage &= ~held_mark;
}

// The packets that are held now may keep others back, so this goes on until nothing changes.
static unsigned hold_all(heddle_thread& thread, const heddle_schedule& schedule, uint32_t stage) {
  for (unsigned ready = ~0u;;) {
    if (stage < schedule.stages) hold_for_order(thread, stage, schedule.last_ordered[stage]);
    for (uint32_t i = 0; i < schedule.range_count; ++i)
      if (schedule.ranges[i].first <= stage && stage <= schedule.ranges[i].last)
        hold_for_key(thread, stage, schedule.ranges[i]);
    const unsigned now = count_at(thread, stage);
    if (now == ready) return ready;
    ready = now;
  }
}

uint32_t hold_back(heddle_thread& thread, const heddle_schedule& schedule, unsigned& ready) {
  for (uint32_t stage = next_stage(thread, 0); stage != HEDDLE_NONE; stage = next_stage(thread, stage)) {
    ready = hold_all(thread, schedule, stage);
    if (ready != 0) {
      thread.held += count_at(thread, stage | held_mark);
      return stage;
    }
    release_held(thread);
  }
  return HEDDLE_NONE;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

extern "C" {

// At a packet body's entry. A body that runs in a loop within a packet is part of that packet.
void heddle_forget_claims() {
  const heddle_thread& thread = heddle_this_thread;
  if (!thread.active || thread.round != 0 || thread.in_handler) return;
  uint64_t* keys = keys_of(thread, thread.current);
  for (unsigned i = 0; i < key_count(); ++i)
    keys[i] = unclaimed;
}

void heddle_claim(uint32_t key, const void* value, uint32_t fresh) {
  heddle_thread& thread = heddle_this_thread;
  if (!thread.active || thread.in_handler || !on_private_stack(thread)) return;
  uint64_t& held = keys_of(thread, thread.current)[key];
  held = after_claim(held, reinterpret_cast<uint64_t>(value));
  // What earlier packets have still to do with the record comes first, if it is used at once; so it may be if a fresh
  // record's claim came before. They may have it, or be about to claim it: found, and maybe given out anew by this one.
  // Both are rare: earlier packets would have to use a record that is given out anew, or this one has two.
  const bool used_at_once = fresh != 0 || held == any_value;
  const heddle_schedule* schedule = used_at_once ? schedule_of(thread.body) : nullptr;
  if (schedule == nullptr) return;
  if (thread.round == HEDDLE_ALONE) {
    if (fresh == 1)
      must_be_nobodys(thread, *schedule, key, after_claim(unclaimed, reinterpret_cast<uint64_t>(value)));
    return;
  }
  for (const heddle_context* context = thread.contexts; context != thread.current; context += thread.step) {
    if (!in_flight(*context)) continue;
    const uint32_t waits = context->stage & ~held_mark;
    const bool has_it = may_meet(keys_of(thread, context)[key], held);
    for (uint32_t i = 0; i < schedule->range_count; ++i) {
      const heddle_key_range& range = schedule->ranges[i];
      if (range.key != key || waits > range.last) continue;
      if (!has_it && waits > range.claimed) continue;
      finish_and_go_on(thread);
      return;
    }
  }
}

} // extern "C"
