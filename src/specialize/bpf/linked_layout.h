/* What linked.bpf.c and its users share. */
#ifndef HEDDLE_SPECIALIZE_BPF_LINKED_LAYOUT_H
#define HEDDLE_SPECIALIZE_BPF_LINKED_LAYOUT_H

#include <linux/types.h>

/* Of sampling, on each processor. */
struct heddle_gap {
  __u64 left;  /* packets until the next sample */
  __u64 taken; /* samples so far */
};

#endif
