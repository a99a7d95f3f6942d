// The router's control plane: loads it, fills its tables from a file, attaches it, and measures or checks it.
// usage: control OBJECT INTERFACE TABLES golden FILE    each line: verdict, packet, what it becomes
//        control OBJECT INTERFACE TABLES bench ROUNDS
// It prints "attached", waits for a line on standard input, and then takes whatever program is on the interface for the router.
// Lines of TABLES: `hop NUMBER INTERFACE`, `route PREFIX/BITS HOP`, `own4 ADDRESS`.
#include "tables.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_bytes = 256, packets = 16, repeats = 200 };

static struct bpf_object* object;

static void give_up(const char* what) {
  perror(what);
  exit(1);
}

static void put(const char* table, const void* key, const void* value) {
  if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, table), key, value, BPF_ANY))
    give_up(table);
}

static void put_route(char* prefix, __u32 hop) {
  char* bits = strchr(prefix, '/');
  if (!bits) give_up(prefix);
  *bits++ = 0;
  struct prefix4 four = {.bits = (__u32)atoi(bits)};
  struct prefix6 six = {.bits = (__u32)atoi(bits)};
  if (inet_pton(AF_INET, prefix, four.address) == 1)
    put("routes4", &four, &hop);
  else if (inet_pton(AF_INET6, prefix, six.address) == 1)
    put("routes6", &six, &hop);
  else
    give_up(prefix);
}

static void fill(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  char text[128];
  unsigned number, other;
  for (char line[256]; fgets(line, sizeof line, file);) {
    if (sscanf(line, "hop %u %u", &number, &other) == 2) {
      struct hop hop = {
          .to = {2, 0, 0, 0, 1, (__u8)number}, .from = {2, 0, 0, 0, 0, (__u8)number}, .interface = other};
      put("hops", &number, &hop);
    } else if (sscanf(line, "route %127s %u", text, &number) == 2) {
      put_route(text, number);
    } else if (sscanf(line, "own4 %127s", text) == 1) {
      __u8 one = 1;
      if (inet_pton(AF_INET, text, &number) != 1) give_up(text);
      put("own4", &number, &one);
    }
  }
  fclose(file);
}

static size_t from_hex(const char* text, unsigned char* bytes) {
  size_t count = 0;
  for (unsigned byte; count != most_bytes && sscanf(text, "%2x", &byte) == 1; text += 2)
    bytes[count++] = (unsigned char)byte;
  return count;
}

static int golden(int program, const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  int cases = 0, wrong = 0;
  for (char line[2048]; fgets(line, sizeof line, file); ++cases) {
    unsigned verdict;
    char before[600], after[600], why[256] = "";
    if (sscanf(line, "%u %599s %599s # %255[^\n]", &verdict, before, after, why) < 3) give_up(line);
    unsigned char in[most_bytes], wanted[most_bytes], out[most_bytes] = {0};
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = in, .data_size_in = (__u32)from_hex(before, in),
                .data_out = out, .data_size_out = sizeof out, .repeat = 1);
    size_t length = from_hex(after, wanted);
    if (bpf_prog_test_run_opts(program, &run)) give_up("test run");
    if (run.retval == verdict && run.data_size_out == length && !memcmp(out, wanted, length)) continue;
    printf("wrong: %s: verdict %u\n", why, run.retval);
    ++wrong;
  }
  fclose(file);
  printf("{\"golden\": %d, \"wrong\": %d}\n", cases, wrong);
  return wrong != 0;
}

// Packets for `TABLES`, of which a half are IPv4's. The time to live is enough for a run of repeats.
static size_t make_packet(unsigned number, unsigned char* bytes) {
  static const char* const four[] = {"10.200.1.1", "10.1.3.1", "10.1.2.9", "198.51.100.7", "203.0.113.7"};
  static const char* const six[] = {"2001:db8:7::1", "2001:db8:1:9::1", "2001:db8:1:2::7"};
  memset(bytes, 0, most_bytes);
  struct ethhdr* ethernet = (void*)bytes;
  if (number % 2) {
    struct ipv6hdr* ip = (void*)(ethernet + 1);
    ethernet->h_proto = htons(ETH_P_IPV6);
    ip->version = 6;
    ip->payload_len = htons(16);
    ip->hop_limit = 255;
    inet_pton(AF_INET6, "2001:db8:9::9", &ip->saddr);
    inet_pton(AF_INET6, six[number / 2 % 3], &ip->daddr);
    return sizeof *ethernet + sizeof *ip + 16;
  }
  struct iphdr* ip = (void*)(ethernet + 1);
  ethernet->h_proto = htons(ETH_P_IP);
  *ip = (struct iphdr){.version = 4, .ihl = 5, .tot_len = htons(46), .ttl = 255, .protocol = 17};
  inet_pton(AF_INET, "192.0.2.9", &ip->saddr);
  inet_pton(AF_INET, four[number / 2 % 5], &ip->daddr);
  unsigned sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += ((unsigned short*)ip)[i];
  sum = (sum & 0xffff) + (sum >> 16);
  ip->check = (unsigned short)~(sum + (sum >> 16));
  return 60;
}

// Nanoseconds per packet, over all packets, each several times in a row: as often as its time to live lasts. A call takes milliseconds
// around that, because the kernel waits for all processors before it begins.
static double measure(int program) {
  double sum = 0;
  for (unsigned number = 0; number != packets; ++number) {
    unsigned char bytes[most_bytes];
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = bytes, .data_size_in = (__u32)make_packet(number, bytes),
                .repeat = repeats);
    if (bpf_prog_test_run_opts(program, &run)) give_up("test run");
    if (run.retval != 3) give_up("not forwarded");
    sum += run.duration;
  }
  return sum / packets;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  int interface = (int)if_nametoindex(argv[2]);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  fill(argv[3]);
  int original = bpf_program__fd(bpf_object__find_program_by_name(object, "router"));
  if (bpf_xdp_attach(interface, original, 0, NULL)) give_up(argv[2]);
  printf("attached\n");
  fflush(stdout);
  getchar();
  unsigned id = 0;
  if (bpf_xdp_query_id(interface, 0, &id)) give_up("query");
  int now = bpf_prog_get_fd_by_id(id);
  if (now < 0) give_up("program");
  if (!strcmp(argv[4], "golden")) return golden(original, argv[5]) | golden(now, argv[5]);
  for (int round = -2; round < atoi(argv[5]); ++round) { // the first two are for warmth
    double before = measure(original), after = measure(now);
    if (round >= 0) printf("%.2f %.2f\n", before, after);
  }
  return 0;
}
