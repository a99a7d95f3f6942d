// Several processes change routes and next hops of examples/xdp/router at full speed, in bursts, while packets run through whatever program
// is on the interface. Each packet's verdict and bytes must be those of the original program for what the tables held while it ran.
// usage: stress_router OBJECT INTERFACE PACKETS
//
// The writer of key k counts n up, writes n into the Ethernet addresses of one hop after another, and then lets the route to 10.0.k.0/24 point there;
// every seventh number removes the route, so that 10.0.0.0/8 is the longest match, whose hop has no entry. The program reads route
// and hop in the opposite order, so it finds a hop with a number that is not older than what was complete before the packet, nor
// newer than what was begun by its end.
#include "stress.h"

#include "../../../examples/xdp/router/tables.h"

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <netinet/in.h>

enum { other_routes = 2000, hops_of_key = 24, no_hop = 9999, packet_bytes = 64 };

static void fill_hop(struct hop* hop, unsigned key, unsigned long n) {
  unsigned number = htonl((unsigned)n);
  *hop = (struct hop){.to = {2, (__u8)key}, .from = {6, (__u8)key}};
  memcpy(hop->to + 2, &number, 4);
  memcpy(hop->from + 2, &number, 4);
}

static struct prefix4 prefix(unsigned bits, unsigned address) {
  struct prefix4 prefix = {.bits = bits};
  address = htonl(address);
  memcpy(prefix.address, &address, 4);
  return prefix;
}

static void write_number(unsigned key, unsigned long n) {
  unsigned number = 1 + key * hops_of_key + n % hops_of_key;
  struct hop hop;
  fill_hop(&hop, key, n);
  put("hops", &number, &hop);
  struct prefix4 route = prefix(24, 10u << 24 | key << 8);
  if (n % 7 == 0)
    bpf_map_delete_elem(map("routes4"), &route);
  else
    put("routes4", &route, &number);
}

static void make_packet(unsigned key, unsigned char ttl, unsigned char* bytes) {
  memset(bytes, 0, packet_bytes);
  ((struct ethhdr*)bytes)->h_proto = htons(ETH_P_IP);
  struct iphdr* ip = (void*)(bytes + sizeof(struct ethhdr));
  *ip = (struct iphdr){.version = 4, .ihl = 5, .tot_len = htons(50), .ttl = ttl, .protocol = 17};
  ip->saddr = htonl(192u << 24 | 2 << 8 | 9);
  ip->daddr = htonl(10u << 24 | key << 8 | 9);
  unsigned sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += ((unsigned short*)ip)[i];
  sum = (sum & 0xffff) + (sum >> 16);
  ip->check = (unsigned short)~(sum + (sum >> 16));
}

static int is_right(int program, unsigned key) {
  unsigned char in[packet_bytes], out[packet_bytes], wanted[packet_bytes];
  make_packet(key, 64, in);
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = in, .data_size_in = sizeof in, .data_out = out,
              .data_size_out = sizeof out, .repeat = 1);
  unsigned long low = progress[key].complete;
  if (bpf_prog_test_run_opts(program, &run)) give_up("run");
  unsigned long high = progress[key].begun;
  if (run.retval == 2) return !memcmp(in, out, sizeof in) && has_multiple(7, low, high);
  unsigned number;
  memcpy(&number, out + 2, 4);
  number = ntohl(number);
  struct hop hop;
  fill_hop(&hop, key, number);
  make_packet(key, 63, wanted);
  memcpy(wanted, hop.to, 6);
  memcpy(wanted + 6, hop.from, 6);
  int good = run.retval == 3 && number >= low && number <= high && !memcmp(wanted, out, sizeof out);
  if (!good) printf("verdict %u, number %u, between %lu and %lu\n", run.retval, number, low, high);
  return good;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  load(argv[1], argv[2]);
  unsigned nowhere = no_hop, first = 1;
  struct prefix4 all = prefix(8, 10u << 24);
  put("routes4", &all, &nowhere);
  for (unsigned i = 0; i != other_routes; ++i) {
    struct prefix4 other = prefix(i % 3 ? 24 : 20, 20u << 24 | i << 12);
    put("routes4", &other, &first);
  }
  for (unsigned key = 0; key != keys; ++key) {
    for (unsigned long n = 2; n != 2 + hops_of_key; ++n) { // numbers that a hop had before are too small
      unsigned number = 1 + key * hops_of_key + n % hops_of_key;
      struct hop hop;
      fill_hop(&hop, key, 0);
      put("hops", &number, &hop);
    }
    write_number(key, 1);
    progress[key].begun = progress[key].complete = 1;
  }
  unsigned original = attach("router");
  return run(original, atol(argv[3]), 2, write_number, is_right);
}
