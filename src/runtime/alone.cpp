// A packet on a rare path runs alone (docs/design.md, "Rare paths"): every packet before it runs to its end
// first, and no packet after it runs before it has ended. So on a rare path the program's order
// is the original's, except for what later packets did in stages already behind. Those before it are a batch of their own: they run stage
// by stage as they would have, so a rare path divides a batch and undoes nothing of it.
//
// What earlier packets and this one have put off (deferred.cpp) is made before the packet goes on; from then on its
// output is made at once.
//
// The call stands at the beginning of rare code and runs on the packet's own stack. The earlier packets are
// entered from here as the scheduler would enter them, so they come back here at the end of a round; the packet's own context is marked
// meanwhile, or the inline switch might take it for one that waits. For the rest of this packet sites do nothing. The scheduler sets its round again after it (schedule.cpp). In a packet
// loop inside a body the round is HEDDLE_NONE, and the packet whose body that is becomes alone (switch.S).
#include "counters.h"
#include "internal.h"

#include <errno.h>

using namespace heddle::runtime;

bool heddle::runtime::finish_earlier_packets(heddle_thread& thread) {
  if (thread.round == HEDDLE_ALONE) return false;
  const bool in_nested_loop = thread.active && !thread.in_handler && on_private_stack(thread);
  if (thread.round == HEDDLE_NONE && !in_nested_loop) return false; // staging is off
  const int own_errno = errno; // of a call that failed just before, maybe
  heddle_context* const self = thread.current;
  void* const home_sp = thread.home_sp;
  void* const copies = thread.copies;
  void* const home_fake_stack = thread.home_fake_stack;
  const void* const home_bottom = thread.home_bottom;
  const size_t home_size = thread.home_size;
  heddle_context* const used_end = thread.used_end;
  const uint32_t own_stage = self->stage;
  const int keys_meet = thread.keys_meet; // of all; packets after this one may be marked
  for (heddle_context* context = thread.contexts; context != self; context += thread.step)
    if (context->stage != HEDDLE_NONE) context->stage &= ~held_mark;
  self->stage |= held_mark;
  thread.used_end = self;
  thread.keys_changed = 1;
  finish_stages(thread);
  thread.used_end = used_end;
  thread.keys_changed = 1;
  thread.keys_meet = keys_meet;
  self->stage = own_stage;
  thread.round = HEDDLE_ALONE;
  thread.current = self;
  thread.home_sp = home_sp;
  thread.copies = copies;
  thread.home_fake_stack = home_fake_stack;
  thread.home_bottom = home_bottom;
  thread.home_size = home_size;
  settle_output(thread);
  errno = own_errno;
  return true;
}

void heddle::runtime::finish_and_go_on(heddle_thread& thread) {
  const uint32_t round = thread.round;
  finish_earlier_packets(thread);
  thread.round = round;
}

extern "C" __attribute__((preserve_most)) void heddle_alone(const char* place) {
  heddle_thread& thread = heddle_this_thread;
  if (!finish_earlier_packets(thread)) return;
  ++thread.alone;
  if (counting()) count_alone(place);
}
