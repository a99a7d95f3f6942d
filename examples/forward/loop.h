// The packet loop.
#ifndef FORWARD_LOOP_H
#define FORWARD_LOOP_H

#include "feed.h"
#include "record.h"
#include "transmit.h"

struct loop {
  const struct options* options;
  struct app* app;
  uint64_t* counts; // of app_verdicts
  struct record* record;
  struct transmit* transmit;
  struct feed* feed; // NULL: frames come from the ports alone
  uint64_t packets;
  uint64_t cycles;      // from reception to transmission; feeding and recording excluded
  uint64_t body_cycles; // of these in app_process() alone
};

// Polls the ports until their input ends, it has seen enough, or loop_stop() was called.
void loop_run(struct loop* l);
void loop_stop(void);

#endif
