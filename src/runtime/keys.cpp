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
// Who may enter depends on earlier packets only, so one walk through the contexts, in packet order, finds all that must not. Equal
// keys are found in a small hash table of what the earlier packets hold, filled on the way and emptied by numbers that grow. Of several ranges of
// one key that a stage lies in, the one that ends last has all that the others have.
//
// Mostly nobody has to wait: all packets have keys of their own. That is found out once, after the last claim; then the lowest stage is the next
// round, and nothing is marked. (Asking anew in every round took 2,100 instructions per packet of nginx, which has a key in eight stages.)
#include "keys.h"

#include "internal.h"

#include <cstdlib>
#include <unistd.h>

namespace heddle::runtime {

namespace {

uint64_t* keys_of(const heddle_thread& thread, const heddle_context* context) {
  return thread.keys + size_t(context - thread.contexts) * key_count();
}

bool in_flight(const heddle_context& context) {
  return context.stage != 0 && context.stage != HEDDLE_NONE;
}

bool is_any(uint64_t held) {
  return held == unclaimed || held == any_value;
}

// What the packets before the one that is looked at hold.
class EarlierKeys {
public:
  explicit EarlierKeys(heddle_thread& thread)
      : keys_(thread.earlier_keys), table_(thread.key_table), mask_(thread.key_table_size - 1),
        number_(thread.key_table_number + 1), count_(key_count()) {
    thread.key_table_number += count_;
    for (unsigned key = 0; key != count_; ++key)
      keys_[key] = {0, 0, 0};
  }

  unsigned count() const { return count_; } // of keys

  // From now on packets that wait for a stage of the range, or for one before it, are looked at.
  void look_up_to(const heddle_key_range& range) {
    if (keys_[range.key].last < range.last) keys_[range.key].last = range.last;
  }

  uint32_t last(unsigned key) const { return keys_[key].last; }

  // May a packet that holds `held` of the key meet an earlier one?
  bool meets(unsigned key, uint64_t held) const {
    if (held == no_record || keys_[key].count == 0) return false;
    return keys_[key].any != 0 || is_any(held) || is_known(entry(key, held), key);
  }

  void add(unsigned key, uint64_t held) {
    if (held == no_record) return;
    ++keys_[key].count;
    keys_[key].any += is_any(held);
    if (is_any(held)) return;
    heddle_known_key& known = entry(key, held);
    known = {held, number_ + key};
  }

private:
  bool is_known(const heddle_known_key& known, unsigned key) const { return known.number == number_ + key; }

  // Where `held` is, or would be.
  heddle_known_key& entry(unsigned key, uint64_t held) const {
    uint64_t at = ((held + key) * 0x9e3779b97f4a7c15u) >> 32;
    while (table_[at & mask_].number >= number_ &&
           !(is_known(table_[at & mask_], key) && table_[at & mask_].value == held))
      ++at;
    return table_[at & mask_];
  }

  heddle_earlier_keys* keys_;
  heddle_known_key* table_;
  uint64_t mask_, number_;
  unsigned count_;
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

// May any two packets meet somewhere?
bool any_meet(heddle_thread& thread, const heddle_schedule& schedule) {
  EarlierKeys earlier(thread);
  for (uint32_t i = 0; i != schedule.range_count; ++i)
    earlier.look_up_to(schedule.ranges[i]);
  for (const heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step) {
    if (!in_flight(*context)) continue;
    const uint64_t* keys = keys_of(thread, context);
    for (unsigned key = 0; key != earlier.count(); ++key) {
      if (earlier.last(key) == 0) continue; // another body's
      if (earlier.meets(key, keys[key])) return true;
      earlier.add(key, keys[key]);
    }
  }
  return false;
}

// Marks the packets that wait for `stage` and must not enter it: how many.
unsigned hold_all(heddle_thread& thread, const heddle_schedule& schedule, uint32_t stage) {
  EarlierKeys earlier(thread);
  for (uint32_t i = 0; i != schedule.range_count; ++i)
    if (schedule.ranges[i].first <= stage && stage <= schedule.ranges[i].last)
      earlier.look_up_to(schedule.ranges[i]);
  const uint32_t ordered = stage < schedule.stages ? schedule.last_ordered[stage] : 0;

  unsigned held = 0;
  bool behind = false; // one that has an ordered stage before this one, or it, still to do
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step) {
    if (!in_flight(*context)) continue;
    const uint32_t waits = context->stage;
    const uint64_t* keys = keys_of(thread, context);
    bool stays = waits != stage || behind; // else it has left the stage when a later one's turn comes
    for (unsigned key = 0; key != earlier.count() && !stays; ++key)
      stays = waits <= earlier.last(key) && earlier.meets(key, keys[key]);
    if (stays && waits == stage) {
      context->stage |= held_mark;
      ++held;
    }
    behind |= stays && waits <= ordered;
    for (unsigned key = 0; key != earlier.count(); ++key)
      if (waits <= earlier.last(key) && (stays || stage != earlier.last(key))) earlier.add(key, keys[key]);
  }
  return held;
}

} // namespace

void release_held(heddle_thread& thread) {
  if (!thread.keys_meet) return;
  for (heddle_context* context = thread.contexts; context != thread.used_end; context += thread.step)
    if (in_flight(*context)) context->stage &= ~held_mark;
}

uint32_t hold_back(heddle_thread& thread, const heddle_schedule& schedule, unsigned& ready) {
  if (thread.keys_changed) {
    thread.keys_meet = any_meet(thread, schedule);
    thread.keys_changed = 0;
  }
  if (!thread.keys_meet) return next_stage(thread, 0, ready);
  unsigned waiting = 0;
  for (uint32_t stage = next_stage(thread, 0, waiting); stage != HEDDLE_NONE;
       stage = next_stage(thread, stage, waiting)) {
    const unsigned held = hold_all(thread, schedule, stage);
    ready = waiting - held;
    if (ready != 0) {
      thread.held += held;
      return stage;
    }
    release_held(thread);
  }
  return HEDDLE_NONE;
}

// They may have the record, or be about to claim it: found, and maybe given out anew by this one. Both are rare: earlier packets would
// have to use a record that is given out anew, or this one has two.
__attribute__((noinline)) static void claim_used_at_once(heddle_thread& thread, uint32_t key,
                                                         const void* value, uint32_t fresh) {
  const heddle_schedule* schedule = schedule_of(thread.body);
  if (schedule == nullptr) return;
  if (thread.round == HEDDLE_ALONE) {
    if (fresh == 1)
      must_be_nobodys(thread, *schedule, key, after_claim(unclaimed, reinterpret_cast<uint64_t>(value)));
    return;
  }
  const uint64_t held = keys_of(thread, thread.current)[key];
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

} // namespace heddle::runtime

using namespace heddle::runtime;

extern "C" {

// At a packet body's entry. A body that runs in a loop within a packet is part of that packet.
void heddle_forget_claims() {
  heddle_thread& thread = heddle_this_thread;
  if (!thread.active || thread.round != 0 || thread.in_handler) return;
  uint64_t* keys = keys_of(thread, thread.current);
  for (unsigned i = 0; i < key_count(); ++i)
    keys[i] = unclaimed;
  thread.keys_changed = 1;
}

void heddle_claim(uint32_t key, const void* value, uint32_t fresh) {
  heddle_thread& thread = heddle_this_thread;
  if (!thread.active || thread.in_handler || !on_private_stack(thread)) return;
  uint64_t& held = keys_of(thread, thread.current)[key];
  const uint64_t before = held;
  held = after_claim(held, reinterpret_cast<uint64_t>(value));
  if (held != before) thread.keys_changed = 1;
  // What earlier packets have still to do with the record comes first, if it is used at once; so it may be if a fresh
  // record's claim came before.
  if (fresh != 0 || held == any_value) claim_used_at_once(thread, key, value, fresh);
}

} // extern "C"
