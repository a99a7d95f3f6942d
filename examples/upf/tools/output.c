// Frames around user packets: GTP-U on N3, plain on N6, and the damage asked for.
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { GTPU_PORT = 2152, ETHER = 14, SNAPLEN = 65535 };

static const uint8_t n3_mac[6] = {2, 0, 0, 0, 3, 1}, n3_peer[6] = {2, 0, 0, 0, 3, 2};
static const uint8_t n6_mac[6] = {2, 0, 0, 0, 6, 1}, n6_peer[6] = {2, 0, 0, 0, 6, 2};

bool output_open(struct output* o, const char* uplink, const char* downlink) {
  o->dead = pcap_open_dead(DLT_EN10MB, SNAPLEN);
  o->sequence = calloc(o->ues ? o->ues : 1, sizeof *o->sequence);
  if (!o->dead || !o->sequence) {
    fprintf(stderr, "upf-workload: out of memory\n");
    return false;
  }
  o->dump[1] = pcap_dump_open(o->dead, uplink);
  if (o->dump[1]) o->dump[0] = pcap_dump_open(o->dead, downlink);
  if (o->dump[0]) return true;
  fprintf(stderr, "upf-workload: %s\n", pcap_geterr(o->dead));
  return false;
}

bool output_close(struct output* o, const char* uplink, const char* downlink) {
  bool fine = true;
  for (int d = 0; d < 2; d++) {
    if (!o->dump[d]) continue;
    if (pcap_dump_flush(o->dump[d]) || ferror(pcap_dump_file(o->dump[d]))) {
      fprintf(stderr, "upf-workload: %s was not written completely\n", d ? uplink : downlink);
      fine = false;
    }
    pcap_dump_close(o->dump[d]);
  }
  if (o->dead) pcap_close(o->dead);
  free(o->sequence);
  return fine;
}

static void put_ether(struct buf* b, const uint8_t* to, const uint8_t* from, bool v6) {
  put_bytes(b, to, 6);
  put_bytes(b, from, 6);
  put_u16(b, v6 ? 0x86dd : 0x0800);
}

static void write_frame(struct output* o, bool uplink, struct timeval at, const struct buf* frame) {
  struct pcap_pkthdr h = {.ts = at, .caplen = frame->len, .len = frame->len};
  pcap_dump((u_char*)o->dump[uplink], &h, frame->data);
  o->packets[uplink]++;
}

static void outer_addresses(const struct user* u, struct address* gnb, struct address* upf) {
  memset(gnb, 0, sizeof *gnb);
  gnb->v6 = u->gnb_v6;
  if (u->gnb_v6) {
    set_u32(gnb->bytes, 0x20010db8);
    set_u32(gnb->bytes + 4, 0x01000000);
    gnb->bytes[15] = (uint8_t)(0x10 + u->gnb);
    *upf = *gnb;
    upf->bytes[15] = 1;
  } else {
    set_u32(gnb->bytes, 0xc0a86410 + u->gnb);
    *upf = *gnb;
    set_u32(upf->bytes, 0xc0a86401);
  }
}

// The PDU session container of TS 38.415: uplink PDU session information with a QFI.
static void put_container(struct buf* b, uint8_t qfi, uint8_t next) {
  put_u8(b, 1); // units of four bytes
  put_u8(b, 0x10);
  put_u8(b, qfi);
  put_u8(b, next);
}

// A GTP-U header for user k in one of the shapes that gNBs send: most with the container, some with sequence
// numbers, a few from 4G without either or with a PDCP number before the container.
static void put_gtpu(struct output* o, struct buf* b, uint32_t k, const struct user* u, uint8_t message,
                     uint32_t n) {
  static const uint8_t qfis[] = {9, 9, 9, 5, 1, 9, 3, 9};
  uint32_t shape = k % 8;
  bool sequence = shape == 3 || shape == 6;
  bool container = shape != 7 && message == 255;
  bool pdcp = container && shape == 6 && rng_chance(&o->rng, 0.1);
  uint32_t start = b->len;
  put_u8(b, 0x30 | (container ? 4u : 0) | (sequence ? 2u : 0));
  put_u8(b, message);
  put_u16(b, 0);
  put_u32(b, u->teid);
  if (container || sequence) {
    put_u16(b, sequence ? o->sequence[k]++ : 0);
    put_u8(b, 0);
    put_u8(b, pdcp ? 0xc0 : container ? 0x85 : 0);
  }
  if (pdcp) {
    put_u8(b, 1);
    put_u16(b, rng_below(&o->rng, 0x10000));
    put_u8(b, 0x85);
  }
  if (container) put_container(b, qfis[(k + rng_below(&o->rng, 4)) % 8], 0);
  set_u16(b->data + start + 2, b->len - start - 8 + n);
}

static void put_outer(struct buf* frame, const struct user* u, uint16_t sport, const struct buf* gtpu,
                      bool checksum) {
  struct address gnb, upf;
  struct ip_options options = {.ttl = 64};
  struct buf udp;
  udp.len = 0;
  outer_addresses(u, &gnb, &upf);
  put_udp(&udp, &gnb, &upf, sport, GTPU_PORT, gtpu->data, gtpu->len);
  if (!checksum && !gnb.v6) set_u16(udp.data + 6, 0);
  put_ether(frame, n3_mac, n3_peer, gnb.v6);
  put_ip(frame, &gnb, &upf, 17, &options, udp.data, udp.len);
}

// Echo requests, error indications and end markers that travel between the user packets.
static void write_control(struct output* o, uint32_t k, struct timeval at) {
  struct user u = user_of(k);
  struct buf gtpu, frame;
  uint32_t kind = rng_below(&o->rng, 10);
  gtpu.len = frame.len = 0;
  if (kind < 7) { // echo request: sequence number, no tunnel
    put_u32(&gtpu, 0x32010004);
    put_u32(&gtpu, 0);
    put_u32(&gtpu, o->sequence[k]++ << 16);
  } else if (kind < 9) { // error indication: a tunnel that the gNB does not know
    put_u32(&gtpu, 0x321a0010);
    put_u32(&gtpu, 0);
    put_u32(&gtpu, 0);
    put_u8(&gtpu, 16);
    put_u32(&gtpu, 0xdead0000 + k);
    put_u8(&gtpu, 133);
    put_u16(&gtpu, 4);
    put_u32(&gtpu, 0xc0a86410 + u.gnb);
  } else { // end marker
    put_u32(&gtpu, 0x30fe0000);
    put_u32(&gtpu, u.teid);
  }
  put_outer(&frame, &u, GTPU_PORT, &gtpu, true);
  write_frame(o, true, at, &frame);
  o->controls++;
}

// Damage to a finished frame, each kind met by another check of the receiver.
static void damage(struct output* o, struct buf* f, bool uplink, bool outer_v6) {
  uint32_t inner = ETHER + (uplink ? (outer_v6 ? 40u : 20u) + 8 + 8 : 0);
  if (uplink && inner <= f->len && (f->data[inner - 8] & 7)) inner += 4;
  if (uplink && inner + 4 <= f->len && (f->data[inner - 12] & 4)) inner += 4;
  if (inner + 20 > f->len) inner = ETHER;
  uint8_t* ip = f->data + inner;
  switch (rng_below(&o->rng, 12)) {
  case 0: // cut anywhere
    f->len = 1 + rng_below(&o->rng, f->len);
    break;
  case 1: // cut inside the user's headers
    f->len = inner + rng_below(&o->rng, f->len - inner < 40 ? f->len - inner : 40);
    if (!f->len) f->len = 1;
    break;
  case 2: // IP version and header length
    ip[0] = (uint8_t)rng_next(&o->rng);
    break;
  case 3: // IP length
    set_u16(ip + (ip[0] >> 4 == 6 ? 4 : 2), rng_below(&o->rng, 0x10000));
    break;
  case 4: // IP checksum, or the first extension header's number
    ip[ip[0] >> 4 == 6 ? 6 : 10] ^= 0x55;
    break;
  case 5: // a transport header's byte
    if (inner + 40 < f->len)
      f->data[inner + 20 + rng_below(&o->rng, 20)] ^= (uint8_t)(1 + rng_below(&o->rng, 255));
    break;
  case 6: // the user's address
    ip[ip[0] >> 4 == 6 ? 15 : 13] ^= 0x80;
    break;
  case 7: // the tunnel's header: version, flags, type, length, TEID
    f->data[(uplink ? inner - 8 : ETHER) - (uplink ? rng_below(&o->rng, 8) : 0)] ^=
        (uint8_t)(1 + rng_below(&o->rng, 255));
    break;
  case 8: // link type
    f->data[12] ^= 0x11;
    break;
  case 9: // fragment offset
    if (ip[0] >> 4 == 4) set_u16(ip + 6, 0x1fff);
    break;
  case 10: // payload, under a checksum that no longer holds
    f->data[f->len - 1] ^= 0xff;
    break;
  default: // noise
    for (uint32_t i = 0; i < 8; i++)
      f->data[rng_below(&o->rng, f->len)] ^= (uint8_t)rng_next(&o->rng);
    break;
  }
  o->damaged++;
}

static uint16_t flow_port(const uint8_t* ip, uint32_t n) {
  uint32_t h = 2166136261u, end = n < 24 ? n : 24; // addresses and, without options, ports
  for (uint32_t i = 12; i < end; i++)
    h = (h ^ ip[i]) * 16777619u;
  return (uint16_t)(49152 + (h >> 18));
}

void output_user_packet(struct output* o, uint32_t k, bool uplink, struct timeval at, const uint8_t* ip,
                        uint32_t n, bool may_damage) {
  struct user u = user_of(k);
  struct buf frame, gtpu;
  frame.len = gtpu.len = 0;
  if (uplink && rng_chance(&o->rng, o->control)) write_control(o, k, at);
  if (uplink) {
    put_gtpu(o, &gtpu, k, &u, 255, n);
    put_bytes(&gtpu, ip, n);
    put_outer(&frame, &u, flow_port(ip, n), &gtpu, k % 3 == 0);
  } else {
    put_ether(&frame, n6_mac, n6_peer, n && ip[0] >> 4 == 6);
    put_bytes(&frame, ip, n);
  }
  if (may_damage && rng_chance(&o->rng, o->malformed)) damage(o, &frame, uplink, u.gnb_v6);
  write_frame(o, uplink, at, &frame);
}
