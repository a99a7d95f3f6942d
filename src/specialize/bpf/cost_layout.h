/* What cost.bpf.c and its user share. */
#ifndef HEDDLE_SPECIALIZE_BPF_COST_LAYOUT_H
#define HEDDLE_SPECIALIZE_BPF_COST_LAYOUT_H

#include <linux/types.h>

/* Lookups in one run of a program, and entries of its larger and smaller tables, powers of two. */
#define HEDDLE_COST_STEPS 64
#define HEDDLE_COST_ENTRY_BITS 10
#define HEDDLE_COST_ENTRIES (1 << HEDDLE_COST_ENTRY_BITS)
#define HEDDLE_COST_FEW 16
#define HEDDLE_COST_WIDE 64    /* bytes of the wider keys */
#define HEDDLE_COST_BRANCHES 4 /* a step */

/* The address of a prefix of 24 bits, in the order of the network: far from the others'. */
#define HEDDLE_COST_ADDRESS(number) ((__u32)(number) * 2654435761u >> 8)

struct heddle_asked {
  __u32 of_branch[HEDDLE_COST_BRANCHES];
};

#endif
