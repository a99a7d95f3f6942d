#ifndef UPF_TOOLS_CAPTURE_H
#define UPF_TOOLS_CAPTURE_H

#include "output.h"

struct capture_counts {
  uint64_t read, used, not_ip, fixed_lengths, too_long;
  uint32_t hosts; // users of the capture
};

// Turns the packets of a capture ("-": standard input) into user packets of at most o->ues users.
// On failure says why on stderr and returns false.
bool convert(struct output* o, const char* path, uint64_t limit, struct capture_counts* counts);

#endif
