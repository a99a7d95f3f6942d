// Building frames: GTP-U, UDP, IP and Ethernet headers in front of a packet.

#include "checksum.h"
#include "phases.h"

enum { OUTER_TTL = 64, CONTAINER_LEN = 4, CONTAINER_LONG = 8 };

bool frame_fits(const struct pkt_ctx* c, const uint8_t* start, uint32_t front, uint32_t len) {
  const uint8_t* base = c->m->buf_addr;
  uint64_t at = (uint64_t)(start - base);
  return at >= front && at + len <= c->m->buf_len;
}

void frame_set(struct pkt_ctx* c, uint8_t* start, uint32_t len) {
  c->m->data_off = (uint16_t)(start - (uint8_t*)c->m->buf_addr);
  c->m->data_len = (uint16_t)len;
  c->m->pkt_len = len;
  c->data = start;
  c->len = len;
}

static uint32_t gtpu_header_len(const struct tunnel* t) {
  uint32_t len = GTPU_HLEN;
  if (t->has_seq || t->has_qfi) len += GTPU_OPT_LEN;
  if (t->has_qfi) len += t->has_ppi ? CONTAINER_LONG : CONTAINER_LEN;
  return len;
}

uint32_t tunnel_overhead(const struct tunnel* t) {
  return (t->peer->family == 4 ? IP4_HLEN : IP6_HLEN) + UDP_HLEN + gtpu_header_len(t);
}

// DL PDU SESSION INFORMATION, TS 38.415 section 5.5.2.1.
static void container_build(const struct tunnel* t, uint8_t* p) {
  uint32_t len = t->has_ppi ? CONTAINER_LONG : CONTAINER_LEN;
  memset(p, 0, len);
  p[0] = (uint8_t)(len / 4);
  p[1] = 0; // PDU type 0, no time stamp, no sequence number
  p[2] = (uint8_t)((t->has_ppi ? 0x80 : 0) | (t->rqi ? 0x40 : 0) | (t->qfi & 0x3f));
  if (t->has_ppi) p[3] = (uint8_t)(t->ppi << 5);
  p[len - 1] = GTPU_EXT_NONE;
}

static uint8_t* gtpu_build(const struct tunnel* t, uint8_t* start, uint32_t len) {
  uint32_t hlen = gtpu_header_len(t);
  uint8_t* p = start - hlen;
  p[0] = 0x20 | GTPU_FLAG_PT | (t->has_seq ? GTPU_FLAG_S : 0) | (t->has_qfi ? GTPU_FLAG_E : 0);
  p[1] = GTPU_GPDU;
  store16(p + 2, (uint16_t)(len + hlen - GTPU_HLEN));
  store32(p + 4, t->teid);
  if (hlen > GTPU_HLEN) {
    store16(p + 8, t->has_seq ? t->seq : 0);
    p[10] = 0;
    p[11] = t->has_qfi ? GTPU_EXT_PDU_SESSION : GTPU_EXT_NONE;
  }
  if (t->has_qfi) container_build(t, p + GTPU_HLEN + GTPU_OPT_LEN);
  return p;
}

// The source port spreads sessions over equal-cost paths (TS 29.281 section 4.4.2.3).
static uint8_t* udp_build(const struct tunnel* t, uint8_t* start, uint32_t len) {
  uint8_t* p = start - UDP_HLEN;
  store16(p, (uint16_t)(49152 + ((t->teid * 0x9e3779b1u) >> 18)));
  store16(p + 2, GTPU_PORT);
  store16(p + 4, (uint16_t)(len + UDP_HLEN));
  store16(p + 6, 0);
  return p;
}

static uint8_t* outer4_build(const struct tunnel* t, uint8_t* start, uint32_t len) {
  uint8_t* p = start - IP4_HLEN;
  p[0] = 0x45;
  p[1] = t->tos;
  store16(p + 2, (uint16_t)(len + IP4_HLEN));
  store16(p + 4, 0);
  store16(p + 6, 0x4000); // don't fragment; the identification is then free (RFC 6864)
  p[8] = OUTER_TTL;
  p[9] = PROTO_UDP;
  store16(p + 10, 0);
  memcpy(p + 12, t->port->ip4, 4);
  memcpy(p + 16, t->peer->addr, 4);
  store16(p + 10, checksum(p, IP4_HLEN));
  return p;
}

static uint8_t* outer6_build(const struct tunnel* t, uint8_t* start, uint32_t len) {
  uint8_t* p = start - IP6_HLEN;
  uint32_t label = (t->teid * 0x85ebca6bu) >> 12; // one flow label per tunnel, RFC 6438
  store32(p, 6u << 28 | (uint32_t)t->tos << 20 | label);
  store16(p + 4, (uint16_t)len);
  p[6] = PROTO_UDP;
  p[7] = OUTER_TTL;
  memcpy(p + 8, t->port->ip6, 16);
  memcpy(p + 24, t->peer->addr, 16);
  uint64_t sum = checksum_add(PROTO_UDP + (uint64_t)len, p + 8, 32);
  uint16_t udp = checksum_finish(checksum_add(sum, start, len));
  store16(start + 6, udp ? udp : 0xffff);
  return p;
}

uint8_t* tunnel_build(const struct tunnel* t, uint8_t* start, uint32_t len) {
  uint8_t* end = start + len;
  uint8_t* p = gtpu_build(t, start, len);
  p = udp_build(t, p, (uint32_t)(end - p));
  if (t->peer->family == 4) {
    p = outer4_build(t, p, (uint32_t)(end - p));
    return ethernet_build(t->port, p, ETH_P_IP4);
  }
  p = outer6_build(t, p, (uint32_t)(end - p));
  return ethernet_build(t->port, p, ETH_P_IP6);
}
