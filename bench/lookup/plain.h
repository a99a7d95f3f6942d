// A batched look-up as anybody writes it, compiled twice from one source: as NAME_baseline, and, with HEDDLE_COPY defined, as
// NAME_heddle, which heddle profile, plan and build are told of with --body. Both are the same text; EXPENSIVE(p) is what differs:
// G-Opt's g_expensive (section 3.2, Figure 5), "the load of *p that follows is expected to miss all caches". It generates nothing.
// With NOT_ANNOTATED, the profile has to find these loads.
#pragma once

#if defined(HEDDLE_COPY) && !defined(NOT_ANNOTATED)
#include "heddle/heddle.h"
#define EXPENSIVE(pointer) HEDDLE_EXPENSIVE(pointer)
#else
#define EXPENSIVE(pointer) ((void)0)
#endif

#ifdef HEDDLE_COPY
#define PLAIN(name) extern "C" __attribute__((noinline)) void name##_heddle
#else
#define PLAIN(name) extern "C" __attribute__((noinline)) void name##_baseline
#endif
