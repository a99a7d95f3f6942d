// Building packets from the inside out: bytes, headers, checksums.
#ifndef UPF_TOOLS_PACKET_H
#define UPF_TOOLS_PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum { BUF_MAX = 16384 };

// A growing piece of packet. Writes past the end are cut: no builder comes near it.
struct buf {
  uint32_t len;
  uint8_t data[BUF_MAX];
};

void put_bytes(struct buf* b, const void* data, uint32_t n);
void put_u8(struct buf* b, uint32_t v);
void put_u16(struct buf* b, uint32_t v);
void put_u24(struct buf* b, uint32_t v);
void put_u32(struct buf* b, uint32_t v);
void put_zero(struct buf* b, uint32_t n);
void put_text(struct buf* b, const char* format, ...) __attribute__((format(printf, 2, 3)));
void set_u16(uint8_t* p, uint32_t v);
void set_u24(uint8_t* p, uint32_t v);
void set_u32(uint8_t* p, uint32_t v);
uint16_t read_u16(const uint8_t* p);
uint32_t read_u32(const uint8_t* p);

// splitmix64: one word of state, the same numbers on every machine.
struct rng {
  uint64_t state;
};
uint64_t rng_next(struct rng* r);
uint32_t rng_below(struct rng* r, uint32_t n); // 0 to n-1
bool rng_chance(struct rng* r, double p);
void put_random(struct buf* b, struct rng* r, uint32_t n);

// An IP address: IPv4 in the first four bytes.
struct address {
  uint8_t bytes[16];
  bool v6;
};

// What the IP header says, besides the addresses.
struct ip_options {
  uint8_t tos, ttl;
  uint16_t id;
  bool dont_fragment;
  bool router_alert;  // IPv4 option
  uint8_t extensions; // IPv6: 1 hop by hop, 2 destination options, ORed
  bool fragmented;    // with the two fields below
  bool more;
  uint16_t offset;
};

// Appends an IPv4 or IPv6 packet with the given payload. Checksums of the payload are the caller's.
void put_ip(struct buf* b, const struct address* from, const struct address* to, uint8_t proto,
            const struct ip_options* options, const uint8_t* payload, uint32_t n);

struct tcp_fields {
  uint16_t sport, dport;
  uint32_t seq, ack;
  uint16_t window;
  uint8_t flags;
  bool timestamps, sack;
  uint32_t ts;
};
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };

// Transport segments with their checksums over the pseudo header of the two addresses.
void put_udp(struct buf* b, const struct address* from, const struct address* to, uint16_t sport,
             uint16_t dport, const uint8_t* payload, uint32_t n);
void put_tcp(struct buf* b, const struct address* from, const struct address* to, const struct tcp_fields* f,
             const uint8_t* payload, uint32_t n);
void put_icmp_echo(struct buf* b, const struct address* from, const struct address* to, bool reply,
                   uint16_t id, uint16_t seq, uint32_t n);

uint16_t ip_checksum(const uint8_t* p, uint32_t n);
uint16_t transport_checksum(const uint8_t* ip, uint8_t proto, const uint8_t* segment, uint32_t n);
uint32_t sctp_checksum(const uint8_t* p, uint32_t n);

// Sets all checksums of an IP packet that lies in memory as a whole (fragments: the IP header's only).
void fix_checksums(uint8_t* ip, uint32_t n);

#endif
