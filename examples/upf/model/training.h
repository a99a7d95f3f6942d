// With -DUPF_TRAINING, upf prints one line per packet for model/train.py: the flow, the application that the
// parsers found, the features.
#ifndef UPF_MODEL_TRAINING_H
#define UPF_MODEL_TRAINING_H

#include "../meter.h"
#include <stdio.h>

static inline void training_line(const struct pkt_ctx* c, const struct features* f) {
  const uint8_t* remote = c->dir == UPLINK ? c->ip.dst : c->ip.src;
  printf("F %u.%08x.%08x.%u.%d.%d %s", c->session->index, load32(remote), load32(remote + 12), c->ip.proto,
         f->value[31], f->value[32], app_name((enum app_id)c->flow.app));
  for (unsigned i = 0; i < FEATURES; i++)
    printf(" %d", f->value[i]);
  putchar('\n');
}

#endif
