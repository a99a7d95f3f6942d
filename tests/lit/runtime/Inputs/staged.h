// A packet loop for the runtime's tests: body(env) takes the next packet's number and records what runs.
#pragma once

#include "heddle/heddle.h"
#include "runtime/runtime.h"
#include "runtime/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loop {
  int next, packets;
};

// The loop test: the next packet's number, or -1 when there is none.
static inline int take(struct loop* loop) {
  return loop->next < loop->packets ? loop->next++ : -1;
}
