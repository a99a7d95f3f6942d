// A firewall of rules over five fields (addresses by prefix, ports, protocol), without state: the first rule that fits decides. The search is that of
// Lakshman and Stiliadis (SIGCOMM 1998), as in bpf-iptables: each field's table gives the set of rules that its value fits, the sets
// are intersected, and the first bit of what is left is the rule. What is not IPv4 passes; fragments behind the first have no ports.
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PREFIXES(NAME)                                                                                       \
  struct {                                                                                                   \
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);                                                                     \
    __uint(max_entries, 2 * RULES);                                                                          \
    __uint(map_flags, BPF_F_NO_PREALLOC);                                                                    \
    __type(key, struct prefix);                                                                              \
    __type(value, struct rules);                                                                             \
  } NAME SEC(".maps")

// Values that no rule names are under the key of all of them, ANY.
#define VALUES(NAME)                                                                                         \
  struct {                                                                                                   \
    __uint(type, BPF_MAP_TYPE_HASH);                                                                         \
    __uint(max_entries, 2 * RULES);                                                                          \
    __type(key, __u32);                                                                                      \
    __type(value, struct rules);                                                                             \
  } NAME SEC(".maps")

enum { ANY = 0x10000 };

PREFIXES(sources);
PREFIXES(destinations);
VALUES(source_ports);
VALUES(destination_ports);
VALUES(protocols);

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, RULES);
  __type(key, __u32);
  __type(value, struct action);
} actions SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct policy);
} policies SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, OUTCOMES);
  __type(key, __u32);
  __type(value, __u64);
} outcomes SEC(".maps");

static __always_inline int end(enum outcome outcome, int verdict) {
  __u32 key = outcome;
  __u64* count = bpf_map_lookup_elem(&outcomes, &key);
  if (count) ++*count;
  return verdict;
}

static __always_inline int no_rule(void) {
  __u32 zero = 0;
  struct policy* policy = bpf_map_lookup_elem(&policies, &zero);
  return end(NO_RULE, policy ? policy->verdict : XDP_DROP);
}

static __always_inline struct rules* find(void* table, __u32 value) {
  struct rules* found = bpf_map_lookup_elem(table, &value);
  if (found) return found;
  value = ANY;
  return bpf_map_lookup_elem(table, &value);
}

SEC("xdp") int firewall(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)ip > data_end) return end(MALFORMED, XDP_DROP);
  if (ethernet->h_proto != bpf_htons(ETH_P_IP)) return end(NOT_IPV4, XDP_PASS);
  if ((void*)(ip + 1) > data_end || ip->version != 4 || ip->ihl < 5) return end(MALFORMED, XDP_DROP);
  __u16 from = 0, to = 0;
  int has_ports = ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP;
  if (has_ports && !(ip->frag_off & bpf_htons(0x1fff))) {
    struct udphdr* ports = (void*)ip + ip->ihl * 4; // TCP begins alike
    if ((void*)ports + 4 > data_end) return end(MALFORMED, XDP_DROP);
    from = ports->source;
    to = ports->dest;
  }

  struct prefix source = {32, ip->saddr}, destination = {32, ip->daddr};
  struct rules* sets[5];
  sets[0] = bpf_map_lookup_elem(&sources, &source);
  if (!sets[0]) return no_rule();
  sets[1] = bpf_map_lookup_elem(&destinations, &destination);
  if (!sets[1]) return no_rule();
  sets[2] = find(&protocols, ip->protocol);
  if (!sets[2]) return no_rule();
  sets[3] = find(&source_ports, from);
  if (!sets[3]) return no_rule();
  sets[4] = find(&destination_ports, to);
  if (!sets[4]) return no_rule();

  __u32 rule = RULES;
  for (__u32 word = 0; word != WORDS; ++word) {
    __u64 all = sets[0]->bits[word] & sets[1]->bits[word] & sets[2]->bits[word] & sets[3]->bits[word] &
                sets[4]->bits[word];
    if (!all) continue;
    // The number of the lowest bit: that many are below it.
    __u64 below = (all & -all) - 1;
    below -= below >> 1 & 0x5555555555555555ull;
    below = (below & 0x3333333333333333ull) + (below >> 2 & 0x3333333333333333ull);
    below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0full;
    rule = word * 64 + (below * 0x0101010101010101ull >> 56);
    break;
  }
  struct action* action = bpf_map_lookup_elem(&actions, &rule);
  return action ? end(MATCHED, action->verdict) : no_rule();
}

char license_[] SEC("license") = "GPL";
