#ifndef UPF_TOOLS_GENERATE_H
#define UPF_TOOLS_GENERATE_H

#include "output.h"

struct traffic {
  uint64_t packets, seed;
  uint32_t flows; // at a time
  bool uniform;   // no user or flow is drawn more often than another, and none sends bursts
};

// Writes that many user packets of invented traffic, the same for the same seed. On failure says why on stderr and returns false.
bool generate(struct output* o, const struct traffic* t);

#endif
