// The interface between the code that src/transform emits and the runtime that is linked into the optimized
// program. C, no dependency but libc. Users include include/heddle/heddle.h instead.
//
// Order (docs/design.md, "Order"): packets of one batch run stage by stage, in packet order within a stage.
// A packet is suspended at a site with the number of the stage it wants to enter; all packets waiting for
// the lowest such stage run before any that waits for a higher one.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs body(env) until it returns non-zero, which is returned (each call is one iteration of the packet loop,
// its loop test included). At most HEDDLE_BATCH calls are in flight; a call that is suspended at a site lets
// the next one start; when one returns non-zero no other starts and those in flight are finished.
// `count` is only a hint: the number of packets where it is known on entry, else -1. With staging off, or a
// hint of 0 or 1, every call runs on the caller's stack and sites do nothing.
int heddle_run_loop(int (*body)(void* env), void* env, int64_t count);

struct pcap_pkthdr; // libpcap's

// One packet of a libpcap batch: what the callback was given.
struct heddle_pcap_packet {
  unsigned char* user;
  const void* header; // const struct pcap_pkthdr *
  const unsigned char* data;
};

// pcap_loop and pcap_dispatch with the callback's body outlined; return what libpcap's would.
// `callback` is the program's own, run one by one while staging is off.
int heddle_pcap_loop(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback);
int heddle_pcap_dispatch(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback);

// Packets that have claimed the same value of `key` enter the stages from `first` to `last` one after the other. Whoever has left
// the stage `claimed` behind claims it no more.
struct heddle_key_range {
  uint32_t key, first, last, claimed;
};
// The order in which packets pass the stages of a body that has keys. src/transform defines a table of them,
// heddle_schedules, with heddle_schedule_count entries, and heddle_key_count, which is above all keys' numbers.
struct heddle_schedule {
  int (*body)(void* env);
  const char* name;             // function and place of the loop
  const uint32_t* last_ordered; // per stage: the highest stage up to it that all packets pass in packet order
  const struct heddle_key_range* ranges;
  uint32_t stages, range_count;
  uint32_t least_batch; // of fewer packets, each runs to its end by itself
};

// The packet that runs has claimed `value` of a key (src/program/claims.h). `fresh`, not 0: it fills the record at once, and what earlier
// packets still have to do with it is done first; 1: and no other packet in flight has it, as the user says. Nothing outside of packets
// in flight.
void heddle_claim(uint32_t key, const void* value, uint32_t fresh);
// At the entry of a packet body with keys: the packet has claimed nothing yet.
void heddle_forget_claims(void);

// Says that there is no memory for an object of a packet's own (src/program/own_objects.h); the program aborts then.
void heddle_no_own_object(void);

// recvfrom, recvmsg and recv in a packet loop that receives one datagram per iteration: same arguments, result and
// errno. Where the call would wait, or finds nothing, while earlier packets are in flight, these end first and the call is
// made after them.
ssize_t heddle_recvfrom(int descriptor, void* data, size_t size, int flags, struct sockaddr* sender,
                        socklen_t* sender_size);
ssize_t heddle_recvmsg(int descriptor, struct msghdr* message, int flags);
ssize_t heddle_recv(int descriptor, void* data, size_t size, int flags);

// pcap_next_ex and pcap_next in a packet loop that takes one packet per iteration; header and bytes are the packet's own.
// Where the call might wait, or brings none, earlier packets end first.
int heddle_pcap_next_ex(void* pcap, struct pcap_pkthdr** header, const unsigned char** data);
const unsigned char* heddle_pcap_next(void* pcap, struct pcap_pkthdr* header);

#ifdef __cplusplus
}
#endif
