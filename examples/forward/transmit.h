// Sending what a batch's packets became.
#ifndef FORWARD_TRANSMIT_H
#define FORWARD_TRANSMIT_H

#include "forward.h"
#include <stdio.h>

struct transmit;

struct transmit* transmit_create(uint16_t ports);
void transmit_free(struct transmit* t);

// Frame i goes where out[i] says, in the order in which the frames came.
void transmit_batch(struct transmit* t, struct rte_mbuf** frame, const uint16_t* out, unsigned count,
                    uint16_t from);

// How many frames each port took, and how many it did not.
void transmit_print(const struct transmit* t, FILE* f);

#endif
