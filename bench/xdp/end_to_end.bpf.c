// The two ends of a way through a forwarding program, and the shortest program that can stand in between.
#include "end_to_end.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

enum { most_bytes = 128 };

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, REPLAY_PACKETS);
  __type(key, __u32);
  __type(value, struct replay_packet);
} packets SEC(".maps");

struct shared shared;

// Called again and again with an empty packet; until one is due it does nothing. What comes late by more than 32 packets is not made up for.
SEC("xdp") int generate(struct xdp_md* context) {
  __u64 now = bpf_ktime_get_ns();
  struct sending* sending = &shared.sending;
  if (now < sending->due) return XDP_DROP;
  sending->due = now - sending->due > 32 * sending->gap ? now : sending->due + sending->gap;
  if (!sending->sent) sending->first = now;
  sending->last = now;
  __u32 number = sending->sent++ % REPLAY_PACKETS;
  struct replay_packet* packet = bpf_map_lookup_elem(&packets, &number);
  struct replay_packet* data = (void*)(long)context->data;
  if (!packet || (void*)(data + 1) > (void*)(long)context->data_end) return XDP_ABORTED;
  *data = *packet;
  struct mark* mark = (void*)(data + 1) - sizeof *mark;
  mark->number = (__u16)number;
  mark->sent = now;
  return bpf_redirect(FRONT, 0);
}

// A packet's bytes and where it is, but for when it was sent.
static __always_inline __u64 digest(const void* data, const void* end, __u32 interface) {
  const __u64 factor = 0x9e3779b97f4a7c15;
  __u64 sum = 0;
  const __u64* word = data;
  for (int i = 0; i != most_bytes / 8; ++i, ++word) {
    if ((void*)(word + 1) + sizeof *word > end) break;
    sum = (sum ^ *word) * factor;
    sum ^= sum >> 29;
  }
  const __u32* half = (void*)word;
  if ((void*)(half + 1) + sizeof *word <= end) sum = (sum ^ *half) * factor;
  return ((sum ^ sum >> 32) & ~0xffull) | interface;
}

static __always_inline void note(__u64 nanoseconds) {
  __u64 bucket = nanoseconds >> FINE_SHIFT;
  if (bucket >= FINE_BUCKETS) bucket = FINE_BUCKETS + (nanoseconds >> COARSE_SHIFT);
  if (bucket >= BUCKETS) bucket = BUCKETS - 1;
  __sync_fetch_and_add(&shared.arriving.buckets[bucket], 1);
}

static __always_inline int wrong(void) {
  __sync_fetch_and_add(&shared.arriving.wrong, 1);
  return XDP_DROP;
}

SEC("xdp") int arrive(struct xdp_md* context) {
  __u64 now = bpf_ktime_get_ns();
  void* data = (void*)(long)context->data;
  void* end = (void*)(long)context->data_end;
  __u64 length = end - data;
  if (length < REPLAY_BYTES || length > most_bytes) return wrong();
  __u64 position = length - sizeof(struct mark);
  asm volatile("" : "+r"(position)); // else it becomes a step back from the end, which the verifier refuses
  struct mark* mark = data + position;
  if ((void*)(mark + 1) > end) return wrong();
  __u32 interface = context->ingress_ifindex;
  __u64 answer = digest(data, end, interface);
  __u64* expected = &shared.arriving.answers[mark->number % REPLAY_PACKETS];
  if (shared.arriving.mode == LEARN) *expected = answer;
  if (*expected != answer && shared.arriving.mode == COMPARE) return wrong();
  if (interface == FRONT) __sync_fetch_and_add(&shared.arriving.came_back, 1);
  note(now > mark->sent ? now - mark->sent : 0);
  return XDP_DROP;
}

// Sends packets where the original would, by its answers: what the way takes by itself.
SEC("xdp") int way(struct xdp_md* context) {
  struct replay_packet* data = (void*)(long)context->data;
  if ((void*)(data + 1) > (void*)(long)context->data_end) return XDP_ABORTED;
  struct mark* mark = (void*)(data + 1) - sizeof *mark;
  __u32 to = shared.arriving.answers[mark->number % REPLAY_PACKETS] & 0xff;
  if (!to) return XDP_DROP;
  return to == FRONT ? XDP_TX : bpf_redirect(to, 0);
}

char license_[] SEC("license") = "GPL";
