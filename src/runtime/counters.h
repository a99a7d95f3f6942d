// Counts for those outside (counters_file.h): for `heddle top` in the file that HEDDLE_COUNTERS names, and in HEDDLE_REPORT's at the
// end. Without either nothing is counted.
#pragma once

#include "counters_file.h"
#include "internal.h"

extern "C" {
// Null: nobody wants to know. Interleaved bodies read it, too (src/transform/interleave.cpp).
extern HEDDLE_HIDDEN struct heddle_counters_head* heddle_counted;
// At the end of an interleaved body's run, if somebody wants to know. `received`: packets, negative: not known; `one_by_one`, not 0: each
// has run to its end before the next one.
HEDDLE_HIDDEN void heddle_count_interleaved(int64_t received, uint32_t one_by_one);
}

namespace heddle::runtime {

inline bool counting() {
  return __builtin_expect(heddle_counted != nullptr, 0);
}

// A run of a packet loop over so many packets, negative: not known, begins: what follows counts as its packets.
HEDDLE_HIDDEN void count_received(heddle_thread& thread, int64_t received);
// Such a batch, of a run whose packets were not known.
HEDDLE_HIDDEN void count_batch_received(heddle_thread& thread, uint64_t packets);
// One packet, or the loop's last test, has run by itself.
HEDDLE_HIDDEN void count_one(heddle_thread& thread);

// A visit of a stage; `waited`, in nanoseconds: by each that was left out.
HEDDLE_HIDDEN void count_visit(heddle_thread& thread, const heddle_schedule* body, uint32_t stage,
                               uint64_t packets, uint64_t left_out, uint64_t waited);
HEDDLE_HIDDEN void count_batch(heddle_thread& thread, const heddle_schedule* body);
HEDDLE_HIDDEN uint64_t count_now(); // nanoseconds
// A packet has become alone there. Places for which there is no room are not told apart: no count has them.
HEDDLE_HIDDEN void count_alone(const char* place);

// counters_report.cpp. Adds to HEDDLE_REPORT's file what has been counted, if there is one.
HEDDLE_HIDDEN bool wants_report();
HEDDLE_HIDDEN void tell_counts(heddle_counters_head& head);

// Of a file or a mapping of it.
inline heddle_counters_body* bodies_of(heddle_counters_head& head) {
  return reinterpret_cast<heddle_counters_body*>(&head + 1);
}
inline heddle_counters_slot& slot_of(heddle_counters_head& head, unsigned number) {
  auto* first = reinterpret_cast<unsigned char*>(bodies_of(head) + head.bodies);
  return *reinterpret_cast<heddle_counters_slot*>(first + number * head.slot_size);
}

} // namespace heddle::runtime
