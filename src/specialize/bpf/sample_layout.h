/* What sample.bpf.c and its user share. */
#ifndef HEDDLE_SPECIALIZE_BPF_SAMPLE_LAYOUT_H
#define HEDDLE_SPECIALIZE_BPF_SAMPLE_LAYOUT_H

#include <linux/types.h>

/* Of each processor. */
struct heddle_gap {
  __u64 left;  /* packets until the next sample */
  __u64 taken; /* samples so far */
};

#endif
