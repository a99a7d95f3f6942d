// HEDDLE_REPORT: what the stages did, added to a file when the last process that has counted ends by itself.
#include "counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace heddle::runtime {
namespace {

const char* report;

// Before the program, which may clear its environment.
__attribute__((constructor(101))) void read_path() {
  const char* given = secure_getenv("HEDDLE_REPORT");
  report = given != nullptr && *given != '\0' ? strdup(given) : nullptr;
}

double part(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : double(a) / double(b);
}

int more_first(const void* a, const void* b) {
  const uint64_t of_a = static_cast<const heddle_counters_place*>(a)->packets;
  const uint64_t of_b = static_cast<const heddle_counters_place*>(b)->packets;
  return of_a < of_b ? 1 : of_a > of_b ? -1 : 0;
}

void tell_places(int file, const heddle_counters_head& head) {
  heddle_counters_place places[HEDDLE_COUNTER_PLACES];
  memcpy(places, head.places, sizeof places);
  qsort(places, HEDDLE_COUNTER_PLACES, sizeof *places, more_first);
  for (const heddle_counters_place& place : places) {
    if (place.packets == 0) break;
    if (&place == places) dprintf(file, "ran alone, by where they became so\n");
    dprintf(file, "%12llu  %s\n", (unsigned long long)place.packets, place.name);
  }
}

void tell_body(int file, heddle_counters_head& head, const heddle_counters_body& body) {
  dprintf(file, "%s, process %d\n%5s %12s %12s %10s %12s %16s\n", body.name, int(getpid()), "stage", "visits",
          "packets", "per visit", "left out", "waited ns/packet");
  for (uint32_t stage = 0; stage < body.rows; ++stage) {
    heddle_counters_row sum = {};
    for (unsigned i = 0; i < head.slots; ++i) {
      const heddle_counters_row& row = slot_of(head, i).rows[body.first_row + stage];
      sum.visits += row.visits;
      sum.packets += row.packets;
      sum.left_out += row.left_out;
      sum.waited += row.waited;
    }
    dprintf(file, "%5u %12llu %12llu %10.1f %12llu %16.1f\n", stage, (unsigned long long)sum.visits,
            (unsigned long long)sum.packets, part(sum.packets, sum.visits), (unsigned long long)sum.left_out,
            part(sum.waited, sum.packets));
  }
}

} // namespace

bool wants_report() {
  return report != nullptr;
}

void tell_counts(heddle_counters_head& head) {
  if (report == nullptr) return;
  const int file = open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    dprintf(STDERR_FILENO, "heddle: error: cannot write the report of the stages: %s: %m\n", report);
    return;
  }
  for (unsigned i = 0; i < head.bodies; ++i)
    tell_body(file, head, bodies_of(head)[i]);
  tell_places(file, head);
  close(file);
}

} // namespace heddle::runtime
