#ifndef UPF_TOOLS_GENERATE_H
#define UPF_TOOLS_GENERATE_H

#include "output.h"

// Writes `packets` user packets of invented traffic, the same for the same seed.
bool generate(struct output* o, uint64_t packets, uint64_t seed);

#endif
