/* What watch.bpf.c and its loader share. */
#ifndef HEDDLE_SPECIALIZE_BPF_WATCH_LAYOUT_H
#define HEDDLE_SPECIALIZE_BPF_WATCH_LAYOUT_H

#include <linux/types.h>

/* The number of the bpf system call: x86-64 and its 32-bit programs. */
#define HEDDLE_BPF_SYSCALL 321
#define HEDDLE_BPF_SYSCALL_32 357

/* Kinds of maps. */
#define HEDDLE_WATCHED 1
#define HEDDLE_OWN 2

struct heddle_epochs {
  __u64 begun; /* calls that may change a watched map, counted before they do; what guards compare */
  __u64 ended; /* those of them that are over */
};

#endif
