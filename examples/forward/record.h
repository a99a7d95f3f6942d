// What a test compares: the frames that each port was given to send, as pcap files or as digests.
#ifndef FORWARD_RECORD_H
#define FORWARD_RECORD_H

#include "forward.h"
#include <stdio.h>

struct record;

// NULL on failure, with a message printed.
struct record* record_create(const struct options* options);
// False if a file could not be written completely.
bool record_free(struct record* r);

// Frame i goes where out[i] says.
void record_batch(struct record* r, struct rte_mbuf* const* frame, const uint16_t* out, unsigned count,
                  uint16_t from);

// The digests, a line for each port.
void record_print(const struct record* r, FILE* f);

#endif
