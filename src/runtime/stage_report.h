// What the stages did, told at exit in the file that HEDDLE_REPORT names: how many packets ran in each visit of a stage, how many
// were left out because of their key, and how long these waited.
#pragma once

#include "internal.h"

namespace heddle::runtime {

// When a visit begins; 0: nobody wants a report. In nanoseconds, like all times here.
HEDDLE_HIDDEN uint64_t visit_begins();
HEDDLE_HIDDEN void visit_ends(const heddle_thread& thread, uint32_t stage, unsigned packets,
                              uint64_t left_out, uint64_t begin);
// Of one batch: the packets that this thread has started since it was last called.
HEDDLE_HIDDEN void first_stage_ends(const heddle_thread& thread);

} // namespace heddle::runtime
