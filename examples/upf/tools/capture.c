// A workload out of any capture.
//
// Every host of the capture is either a user or remote. A packet from a user goes uplink, one to a user
// downlink. A host not seen before is placed by its first packet: of a private and a public address the
// private one is the user; else the side with the higher port, and else the sender. The user's address is
// replaced by that of its session and the remote one stays, so that dialogues remain dialogues. Order and
// time stamps are the capture's.
//
// What a snapshot length cut off is missed, and a length that the network card of the capturing host would
// have filled in is zero. Length fields are then set to what is there and checksums renewed, for else every
// such packet would be dropped as malformed and nothing be measured.
#include "capture.h"
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 20, REMOTE = 0xffffffff, LONGEST = 9500 };

struct host {
  struct address address;
  bool used;
  uint32_t user; // or REMOTE
};

struct converter {
  struct output* out;
  struct capture_counts* counts;
  struct host* hosts; // open addressing
  uint32_t filled;
  uint8_t packet[LONGEST];
};

static uint32_t hash_address(const struct address* a) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < (a->v6 ? 16 : 4); i++)
    h = (h ^ a->bytes[i]) * 16777619u;
  return h ^ h >> 15;
}

static struct host* find_host(struct converter* c, const struct address* a) {
  uint32_t at = hash_address(a) & (TABLE - 1);
  while (c->hosts[at].used) {
    struct address* have = &c->hosts[at].address;
    if (have->v6 == a->v6 && memcmp(have->bytes, a->bytes, 16) == 0) break;
    at = (at + 1) & (TABLE - 1);
  }
  return &c->hosts[at];
}

static bool is_private(const struct address* a) {
  const uint8_t* b = a->bytes;
  if (a->v6) return (b[0] & 0xfe) == 0xfc || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80);
  return b[0] == 10 || (b[0] == 172 && (b[1] & 0xf0) == 16) || (b[0] == 192 && b[1] == 168) ||
         (b[0] == 100 && (b[1] & 0xc0) == 64);
}

// Multicast, broadcast, loopback and unspecified addresses never are a user's.
static bool cannot_be_user(const struct address* a) {
  if (a->v6) return a->bytes[0] == 0xff || (a->bytes[0] == 0 && a->bytes[1] == 0);
  return a->bytes[0] >= 224 || a->bytes[0] == 0 || a->bytes[0] == 127;
}

static void place(struct converter* c, struct host* h, const struct address* a, bool user) {
  if (h->used) return;
  if (c->filled >= TABLE / 2) return; // such hosts stay unknown and their packets are not used
  h->used = true;
  h->address = *a;
  h->user = REMOTE;
  c->filled++;
  if (user) h->user = c->counts->hosts++ % c->out->ues;
}

// Decides who is the user when at least one end is new.
static void place_both(struct converter* c, const struct address* src, const struct address* dst,
                       uint16_t sport, uint16_t dport) {
  struct host *s = find_host(c, src), *d = find_host(c, dst);
  bool s_user = s->used && s->user != REMOTE, d_user = d->used && d->user != REMOTE;
  if (!s->used) {
    bool lower = sport < dport && dport >= 1024;
    bool user = !cannot_be_user(src) && !d_user;
    if (user && is_private(src) == is_private(dst) && lower && !cannot_be_user(dst) && !d->used) user = false;
    if (user && !is_private(src) && is_private(dst) && !d->used) user = false;
    place(c, s, src, user);
    s_user = user;
  }
  d = find_host(c, dst); // the table may have shifted under it
  if (!d->used) place(c, d, dst, !s_user && !cannot_be_user(dst));
}

static void fix_lengths(struct converter* c, uint8_t* ip, uint32_t* n, bool v6) {
  uint32_t header = v6 ? 40 : (ip[0] & 15) * 4u;
  uint32_t total = v6 ? 40u + read_u16(ip + 4) : read_u16(ip + 2);
  if (total < *n && total >= header) *n = total; // Ethernet padding
  bool offloaded = total == 0 && !v6; // the network card of the capturing host would have filled it in
  if (!offloaded && (total <= *n || *n < header + 8)) return;
  set_u16(ip + (v6 ? 4 : 2), v6 ? *n - 40 : *n);
  bool first = v6 || (read_u16(ip + 6) & 0x1fff) == 0;
  if (first && ip[v6 ? 6 : 9] == 17 && read_u16(ip + header + 4) > *n - header)
    set_u16(ip + header + 4, *n - header);
  c->counts->fixed_lengths++;
  fix_checksums(ip, *n);
}

static uint16_t add_difference(uint16_t sum, const uint8_t* old, const uint8_t* new, uint32_t n) {
  uint32_t s = (uint16_t)~sum;
  for (uint32_t i = 0; i < n; i += 2)
    s += (uint16_t)~read_u16(old + i) + (uint32_t)read_u16(new + i);
  while (s >> 16)
    s = (s & 0xffff) + (s >> 16);
  return (uint16_t)~s;
}

// Puts the session's address in the user's place. Checksums change by the difference, so wrong ones stay
// wrong.
static void replace_address(uint8_t* ip, uint32_t n, bool v6, bool uplink, const struct address* with) {
  uint32_t size = v6 ? 16 : 4, header = v6 ? 40 : (ip[0] & 15) * 4u;
  uint8_t* at = ip + (v6 ? (uplink ? 8 : 24) : (uplink ? 12 : 16));
  uint8_t old[16];
  memcpy(old, at, size);
  memcpy(at, with->bytes, size);
  if (!v6) set_u16(ip + 10, add_difference(read_u16(ip + 10), old, at, size));
  bool first = v6 || (read_u16(ip + 6) & 0x1fff) == 0;
  uint8_t proto = ip[v6 ? 6 : 9];
  uint32_t field = proto == 6 ? header + 16 : proto == 17 ? header + 6 : v6 && proto == 58 ? header + 2 : 0;
  if (!first || !field || field + 2 > n) return;
  uint16_t sum = read_u16(ip + field);
  if (proto == 17 && !sum) return;
  set_u16(ip + field, add_difference(sum, old, at, size));
}

static void convert_packet(struct converter* c, const struct pcap_pkthdr* h, const uint8_t* ip, uint32_t n) {
  struct address src = {0}, dst = {0};
  bool v6 = n >= 40 && ip[0] >> 4 == 6;
  if (!v6 && (n < 20 || ip[0] >> 4 != 4 || (ip[0] & 15) < 5 || (ip[0] & 15) * 4u > n)) {
    c->counts->not_ip++;
    return;
  }
  if (n > LONGEST) {
    c->counts->too_long++;
    return;
  }
  memcpy(c->packet, ip, n);
  src.v6 = dst.v6 = v6;
  memcpy(src.bytes, ip + (v6 ? 8 : 12), v6 ? 16 : 4);
  memcpy(dst.bytes, ip + (v6 ? 24 : 16), v6 ? 16 : 4);
  uint32_t header = v6 ? 40 : (ip[0] & 15) * 4u;
  bool ports = n >= header + 4 && (ip[v6 ? 6 : 9] == 6 || ip[v6 ? 6 : 9] == 17);
  uint16_t sport = ports ? read_u16(ip + header) : 0, dport = ports ? read_u16(ip + header + 2) : 0;
  place_both(c, &src, &dst, sport, dport);
  struct host *s = find_host(c, &src), *d = find_host(c, &dst);
  bool uplink = s->used && s->user != REMOTE;
  if (!uplink &&
      (!d->used || d->user == REMOTE)) { // between two remote hosts: the sender's neighbour in the network
    c->counts->not_ip += !s->used;
    s->user = s->used ? c->counts->hosts++ % c->out->ues : REMOTE;
    uplink = s->used;
    if (!uplink) return;
  }
  uint32_t k = uplink ? s->user : d->user;
  struct user u = user_of(k);
  fix_lengths(c, c->packet, &n, v6);
  replace_address(c->packet, n, v6, uplink, v6 ? &u.ue6 : &u.ue4);
  if (c->out->fix_checksums) fix_checksums(c->packet, n);
  c->counts->used++;
  output_user_packet(c->out, k, uplink, h->ts, c->packet, n, true);
}

bool convert(struct output* o, const char* path, uint64_t limit, struct capture_counts* counts) {
  char error[PCAP_ERRBUF_SIZE];
  struct pcap_pkthdr* h;
  const uint8_t* p;
  int got;
  memset(counts, 0, sizeof *counts);
  pcap_t* in = pcap_open_offline(path, error);
  struct converter* c = calloc(1, sizeof *c);
  struct host* hosts = calloc(TABLE, sizeof *hosts);
  bool fine = in && c && hosts;
  if (!in) fprintf(stderr, "upf-workload: %s\n", error);
  if (fine) {
    c->out = o;
    c->counts = counts;
    c->hosts = hosts;
    while ((!limit || counts->read < limit) && (got = pcap_next_ex(in, &h, &p)) == 1) {
      counts->read++;
      uint32_t at = find_ip(pcap_datalink(in), p, h->caplen);
      if (at >= h->caplen)
        counts->not_ip++;
      else
        convert_packet(c, h, p + at, h->caplen - at);
    }
    if ((!limit || counts->read < limit) && got == PCAP_ERROR) {
      fprintf(stderr, "upf-workload: %s: %s\n", path, pcap_geterr(in));
      fine = false;
    }
  }
  free(hosts);
  free(c);
  if (in) pcap_close(in);
  return fine;
}
