// Where frames go: DPDK ports, and optionally a pcap file with the worker's own clock as time stamps.
#ifndef UPF_TRANSMIT_H
#define UPF_TRANSMIT_H

#include "upf.h"

struct transmit;

struct transmit* transmit_create(const struct config* config);
// Returns false if a recording could not be written completely.
bool transmit_free(struct transmit* t);

// Sends frames for `which` out of DPDK port `port`, queue `queue`.
void transmit_attach(struct transmit* t, enum interface which, uint16_t port, uint16_t queue);
// Also writes them to a pcap file. Returns false if it cannot be opened.
bool transmit_record(struct transmit* t, enum interface which, const char* path);

// Queues a frame, keeps or releases the frames of a session. Called in packet order.
void transmit_frame(struct transmit* t, enum interface which, struct rte_mbuf* m, uint64_t time);
// Keeps a frame for the session; false if there is no room (the caller then frees it).
bool transmit_hold(struct transmit* t, struct session* s, enum interface which, struct rte_mbuf* m);
void transmit_release(struct transmit* t, struct session* s, uint64_t time);
// Whether the session's UE was heard lately, so that nothing need be held for it.
bool transmit_awake(const struct transmit* t, const struct session* s, uint64_t time);
bool transmit_holding(const struct transmit* t, const struct session* s);
// Hands queued frames to the ports; counts what they refuse.
void transmit_flush(struct transmit* t, struct counters* n);

#endif
