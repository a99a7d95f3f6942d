// Forwarding applications: what the common part (main.c, loop.c, feed.c, transmit.c) gives an application, and what each of ipv4.c,
// ipv6.c, l2switch.c, ndn.c and crypto.c defines for it. A program is the common part and one application.
#ifndef FORWARD_H
#define FORWARD_H

#include "random.h"
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

// Frames of one receive call; bench/figures has other sizes.
#ifndef FORWARD_BURST
#define FORWARD_BURST 32
#endif

enum {
  BURST = FORWARD_BURST,
  MOST_PORTS = 16,
  MOST_VERDICTS = 16,
  SMALLEST_FRAME = 60, // without the frame check sequence
  // Where a packet goes, if not to a port.
  DROP = 0xffff,
  FLOOD = 0xfffe, // to all ports but the one it came from
};

struct options {
  const char* table;  // file with the table's entries; NULL: they are generated
  const char* record; // what is sent to port N goes to the pcap file RECORD-N, too
  uint64_t entries;   // of a generated table
  uint64_t packets;   // generated, or after how many received ones to stop; 0: no limit
  uint64_t idle;      // stop after that many empty polls in a row; 0: never
  uint64_t seed;
  uint16_t ports;
  bool zipf, digest, timing;
  bool uncompressed; // the routes of ipv6
};

// Prints "NAME: error: ..." and returns -1.
__attribute__((format(printf, 1, 2))) int failed(const char* format, ...);

// An application's tables.
struct app;

extern const char app_name[];
extern const uint64_t app_entries;       // of a generated table, by default
extern const char* const app_verdicts[]; // names of what is counted, NULL at the end

// NULL on failure, with a message printed. No entries come or go after that.
struct app* app_create(const struct options* options);
void app_free(struct app* app);

// One packet, received by a port: where it goes. May write to the frame; adds to what app_verdicts names.
uint16_t app_process(const struct app* app, struct rte_mbuf* m, uint16_t port,
                     uint64_t counts[MOST_VERDICTS]);

// What traffic is drawn from.
struct traffic {
  struct random random;
  struct draw draw;
};
// One in so many generated frames has something wrong with it, or is in no table.
enum { ODD = 256 };

// Writes a frame that a port receives, at most 1,500 octets; returns its length. The draw gives numbers of the generated table's entries.
unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame);

#endif
