// Bytes on the wire, written plainly: the workload must not share code, and so mistakes, with what it tests.
#include "packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  ICMP = 1,
  TCP = 6,
  UDP = 17,
  FRAGMENT = 44,
  ICMP6 = 58,
  DEST_OPTIONS = 60,
  ROUTING = 43,
  HOP_BY_HOP = 0,
  SCTP = 132
};

void put_bytes(struct buf* b, const void* data, uint32_t n) {
  if (n > BUF_MAX - b->len) n = BUF_MAX - b->len;
  if (n) memcpy(b->data + b->len, data, n);
  b->len += n;
}

void set_u16(uint8_t* p, uint32_t v) {
  p[0] = (uint8_t)(v >> 8);
  p[1] = (uint8_t)v;
}

void set_u24(uint8_t* p, uint32_t v) {
  p[0] = (uint8_t)(v >> 16);
  set_u16(p + 1, v);
}

void set_u32(uint8_t* p, uint32_t v) {
  set_u16(p, v >> 16);
  set_u16(p + 2, v);
}

uint16_t read_u16(const uint8_t* p) {
  return (uint16_t)(p[0] << 8 | p[1]);
}
uint32_t read_u32(const uint8_t* p) {
  return (uint32_t)read_u16(p) << 16 | read_u16(p + 2);
}

void put_u8(struct buf* b, uint32_t v) {
  uint8_t byte = (uint8_t)v;
  put_bytes(b, &byte, 1);
}

void put_u16(struct buf* b, uint32_t v) {
  uint8_t bytes[2];
  set_u16(bytes, v);
  put_bytes(b, bytes, 2);
}

void put_u24(struct buf* b, uint32_t v) {
  uint8_t bytes[3];
  set_u24(bytes, v);
  put_bytes(b, bytes, 3);
}

void put_u32(struct buf* b, uint32_t v) {
  uint8_t bytes[4];
  set_u32(bytes, v);
  put_bytes(b, bytes, 4);
}

void put_zero(struct buf* b, uint32_t n) {
  while (n--)
    put_u8(b, 0);
}

void put_text(struct buf* b, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > 0) put_bytes(b, text, n < (int)sizeof text ? (uint32_t)n : (uint32_t)sizeof text - 1);
}

uint64_t rng_next(struct rng* r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

uint32_t rng_below(struct rng* r, uint32_t n) {
  return n ? (uint32_t)((rng_next(r) >> 32) * n >> 32) : 0;
}
bool rng_chance(struct rng* r, double p) {
  return p > 0 && (double)(rng_next(r) >> 11) * 0x1p-53 < p;
}

void put_random(struct buf* b, struct rng* r, uint32_t n) {
  for (; n >= 8; n -= 8) {
    uint64_t v = rng_next(r);
    put_bytes(b, &v, 8);
  }
  while (n--)
    put_u8(b, (uint32_t)rng_next(r));
}

static uint64_t sum_words(uint64_t sum, const uint8_t* p, uint32_t n) {
  for (; n >= 2; p += 2, n -= 2)
    sum += read_u16(p);
  return n ? sum + ((uint32_t)p[0] << 8) : sum;
}

static uint16_t fold(uint64_t sum) {
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

uint16_t ip_checksum(const uint8_t* p, uint32_t n) {
  return fold(sum_words(0, p, n));
}

uint16_t transport_checksum(const uint8_t* ip, uint8_t proto, const uint8_t* segment, uint32_t n) {
  uint64_t sum = ip[0] >> 4 == 6 ? sum_words(0, ip + 8, 32) : sum_words(0, ip + 12, 8);
  return fold(sum_words(sum + proto + n, segment, n));
}

static uint16_t pseudo_checksum(const struct address* from, const struct address* to, uint8_t proto,
                                const uint8_t* p, uint32_t n) {
  uint32_t size = from->v6 ? 16 : 4;
  uint64_t sum = sum_words(sum_words(0, from->bytes, size), to->bytes, size);
  return fold(sum_words(sum + proto + n, p, n));
}

// Bit by bit: a workload is made once, and SCTP is rare in it.
uint32_t sctp_checksum(const uint8_t* p, uint32_t n) {
  uint32_t crc = ~0u;
  while (n--) {
    crc ^= *p++;
    for (int i = 0; i < 8; i++)
      crc = crc >> 1 ^ (0x82f63b78 & -(crc & 1));
  }
  return ~crc;
}

static void put_ip4(struct buf* b, const struct address* from, const struct address* to, uint8_t proto,
                    const struct ip_options* o, const uint8_t* payload, uint32_t n) {
  uint32_t start = b->len, header = o->router_alert ? 24 : 20;
  put_u8(b, 0x40 | header / 4);
  put_u8(b, o->tos);
  put_u16(b, header + n);
  put_u16(b, o->id);
  put_u16(b, (o->dont_fragment ? 0x4000u : 0) | (o->more ? 0x2000u : 0) | o->offset / 8u);
  put_u8(b, o->ttl);
  put_u8(b, proto);
  put_u16(b, 0);
  put_bytes(b, from->bytes, 4);
  put_bytes(b, to->bytes, 4);
  if (o->router_alert) put_u32(b, 0x94040000);
  set_u16(b->data + start + 10, ip_checksum(b->data + start, header));
  put_bytes(b, payload, n);
}

// Extension headers in the order of RFC 8200 section 4.1; each has eight bytes here.
static void put_ip6(struct buf* b, const struct address* from, const struct address* to, uint8_t proto,
                    const struct ip_options* o, const uint8_t* payload, uint32_t n) {
  static const uint8_t kinds[] = {HOP_BY_HOP, DEST_OPTIONS, FRAGMENT};
  bool present[] = {(o->extensions & 1) != 0, (o->extensions & 2) != 0, o->fragmented};
  uint8_t chain[4];
  uint32_t count = 0;
  for (int i = 0; i < 3; i++)
    if (present[i]) chain[count++] = kinds[i];
  chain[count] = proto;
  put_u32(b, 0x60000000u | (uint32_t)o->tos << 20);
  put_u16(b, 8 * count + n);
  put_u8(b, chain[0]);
  put_u8(b, o->ttl);
  put_bytes(b, from->bytes, 16);
  put_bytes(b, to->bytes, 16);
  for (uint32_t i = 0; i < count; i++) {
    put_u8(b, chain[i + 1]);
    put_u8(b, 0);
    if (chain[i] == FRAGMENT) {
      put_u16(b, o->offset | o->more);
      put_u32(b, o->id);
    } else if (chain[i] == HOP_BY_HOP) {
      put_u32(b, 0x05020000); // router alert
      put_u16(b, 0x0100);     // padding of two bytes
    } else {
      put_u32(b, 0x01040000); // padding of six bytes
      put_u16(b, 0);
    }
  }
  put_bytes(b, payload, n);
}

void put_ip(struct buf* b, const struct address* from, const struct address* to, uint8_t proto,
            const struct ip_options* options, const uint8_t* payload, uint32_t n) {
  if (from->v6)
    put_ip6(b, from, to, proto, options, payload, n);
  else
    put_ip4(b, from, to, proto, options, payload, n);
}

void put_udp(struct buf* b, const struct address* from, const struct address* to, uint16_t sport,
             uint16_t dport, const uint8_t* payload, uint32_t n) {
  uint32_t start = b->len;
  put_u16(b, sport);
  put_u16(b, dport);
  put_u16(b, 8 + n);
  put_u16(b, 0);
  put_bytes(b, payload, n);
  uint16_t sum = pseudo_checksum(from, to, UDP, b->data + start, 8 + n);
  set_u16(b->data + start + 6, sum ? sum : 0xffff);
}

static void put_tcp_options(struct buf* b, const struct tcp_fields* f) {
  if (f->flags & TCP_SYN) {
    put_u32(b, 0x020405b4);                        // maximum segment size
    put_u32(b, f->sack ? 0x04020101 : 0x01010101); // SACK permitted, two no-operations
    put_u32(b, 0x01030307);                        // window scale
  }
  if (f->timestamps) {
    put_u16(b, 0x0101);
    put_u16(b, 0x080a);
    put_u32(b, f->ts);
    put_u32(b, f->flags & TCP_ACK ? f->ts - 7 : 0);
  }
  if (f->sack && !(f->flags & TCP_SYN)) {
    put_u32(b, 0x0101050a);
    put_u32(b, f->ack + 1448);
    put_u32(b, f->ack + 2896);
  }
}

void put_tcp(struct buf* b, const struct address* from, const struct address* to, const struct tcp_fields* f,
             const uint8_t* payload, uint32_t n) {
  uint32_t start = b->len;
  put_u16(b, f->sport);
  put_u16(b, f->dport);
  put_u32(b, f->seq);
  put_u32(b, f->flags & TCP_ACK ? f->ack : 0);
  put_u16(b, 0);
  put_u16(b, f->window);
  put_u32(b, 0);
  put_tcp_options(b, f);
  b->data[start + 12] = (uint8_t)((b->len - start) / 4 << 4);
  b->data[start + 13] = f->flags;
  put_bytes(b, payload, n);
  set_u16(b->data + start + 16, pseudo_checksum(from, to, TCP, b->data + start, b->len - start));
}

void put_icmp_echo(struct buf* b, const struct address* from, const struct address* to, bool reply,
                   uint16_t id, uint16_t seq, uint32_t n) {
  uint32_t start = b->len;
  put_u8(b, from->v6 ? (reply ? 129 : 128) : (reply ? 0 : 8));
  put_u8(b, 0);
  put_u16(b, 0);
  put_u16(b, id);
  put_u16(b, seq);
  for (uint32_t i = 0; i < n; i++)
    put_u8(b, i);
  uint8_t* p = b->data + start;
  uint16_t sum = from->v6 ? pseudo_checksum(from, to, ICMP6, p, 8 + n) : ip_checksum(p, 8 + n);
  set_u16(p + 2, sum);
}

static void fix_transport(uint8_t* ip, uint8_t proto, uint8_t* segment, uint32_t n) {
  uint32_t at;
  if (proto == TCP && n >= 20)
    at = 16;
  else if (proto == UDP && n >= 8)
    at = 6;
  else if ((proto == ICMP || proto == ICMP6) && n >= 4)
    at = 2;
  else if (proto == SCTP && n >= 12) {
    set_u32(segment + 8, 0);
    uint32_t crc = sctp_checksum(segment, n);
    memcpy(segment + 8, &crc, 4); // the polynomial's bytes go out lowest first
    return;
  } else
    return;
  if (proto == UDP && ip[0] >> 4 == 4 && read_u16(segment + at) == 0) return; // switched off by the sender
  set_u16(segment + at, 0);
  uint16_t sum = proto == ICMP ? ip_checksum(segment, n) : transport_checksum(ip, proto, segment, n);
  set_u16(segment + at, proto == UDP && !sum ? 0xffff : sum);
}

void fix_checksums(uint8_t* ip, uint32_t n) {
  if (n >= 20 && ip[0] >> 4 == 4) {
    uint32_t header = (ip[0] & 15) * 4u, total = read_u16(ip + 2);
    if (header < 20 || header > n) return;
    set_u16(ip + 10, 0);
    set_u16(ip + 10, ip_checksum(ip, header));
    bool whole = total >= header && total <= n && (read_u16(ip + 6) & 0x3fff) == 0;
    if (whole) fix_transport(ip, ip[9], ip + header, total - header);
  } else if (n >= 40 && ip[0] >> 4 == 6) {
    uint32_t total = 40u + read_u16(ip + 4), at = 40;
    uint8_t proto = ip[6];
    while ((proto == HOP_BY_HOP || proto == DEST_OPTIONS || proto == ROUTING) && at + 8 <= n) {
      proto = ip[at];
      at += 8u + ip[at + 1] * 8u;
    }
    if (total <= n && at < total) fix_transport(ip, proto, ip + at, total - at);
  }
}
