/* Traces of traffic.py, for the programs that send them. */
#ifndef TRACE_H
#define TRACE_H

#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((noreturn)) void give_up(const char* what) {
  perror(what);
  exit(1);
}

/* The packets of a file, a packet a line in hex; how many there are. */
static inline unsigned read_trace(const char* path, struct replay_packet packets[REPLAY_PACKETS]) {
  unsigned count = 0;
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  for (char line[2 * REPLAY_BYTES + 2]; count != REPLAY_PACKETS && fgets(line, sizeof line, file); ++count)
    for (unsigned i = 0; i != REPLAY_BYTES; ++i)
      if (sscanf(line + 2 * i, "%2hhx", (unsigned char*)&packets[count] + i) != 1) give_up(path);
  fclose(file);
  if (!count) give_up(path);
  return count;
}

#endif
