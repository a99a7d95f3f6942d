// Replays packets through other XDP programs: each run copies the next one over the packet that the test run gives it, and goes on
// in the program that is to be measured, by a tail call. What this itself costs is measured with a program that does nothing.
#include "replay.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, REPLAY_PACKETS);
  __type(key, __u32);
  __type(value, struct replay_packet);
} packets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, REPLAY_PROGRAMS);
  __type(key, __u32);
  __type(value, __u32);
} programs SEC(".maps");

struct replay_state state;

SEC("xdp") int nothing(struct xdp_md* context) {
  return XDP_TX;
}

SEC("xdp") int replay(struct xdp_md* context) {
  // What the last program has put in front goes again.
  int longer = (int)(context->data_end - context->data) - REPLAY_BYTES;
  if (longer != 0 && bpf_xdp_adjust_head(context, longer)) return XDP_ABORTED;
  __u32 number = state.next++ % REPLAY_PACKETS;
  struct replay_packet* packet = bpf_map_lookup_elem(&packets, &number);
  struct replay_packet* data = (void*)(long)context->data;
  if (!packet || (void*)(data + 1) > (void*)(long)context->data_end) return XDP_ABORTED;
  *data = *packet;
  bpf_tail_call(context, &programs, state.chosen);
  return XDP_ABORTED;
}

char license_[] SEC("license") = "GPL";
