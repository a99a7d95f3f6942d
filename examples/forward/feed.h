// Generated frames and ring ports to receive them from, so that a measurement sees neither files nor a driver.
#ifndef FORWARD_FEED_H
#define FORWARD_FEED_H

#include "forward.h"

struct feed;

// Makes the ring ports 0, 1, ...; there must be no others. NULL on failure, with a message printed.
struct feed* feed_create(const struct options* options, struct rte_mempool* pool);
void feed_free(struct feed* feed);

// Puts up to a burst of fresh frames into each port's ring. False when all have been.
bool feed_next(struct feed* feed);
// Frees what was sent.
void feed_drain(struct feed* feed);

#endif
