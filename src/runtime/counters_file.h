// The file that HEDDLE_COUNTERS names, as the runtime writes it, through a mapping (counters.cpp), and `heddle top` reads it (src/top).
//
//     | head, with the places where packets became alone | a body each | slots: a thread each | ... |       slot: | fixed part | a row for each stage of all bodies |
//
// A slot has one writer, the thread that has claimed it, and all of its counts only grow. Whoever reads gets each count whole, and
// counts of one slot maybe from either side of a batch's end. A thread that ends leaves its slot, with what it has counted, to
// the next one. Times are of CLOCK_BOOTTIME, in nanoseconds. Everything is in the machine's own byte order: the file does not travel.
#pragma once

#include <stdint.h>

#define HEDDLE_COUNTERS_MAGIC 0x7372746e636c6468u // "hdlcntrs"; written last, so that half a file is none
#define HEDDLE_COUNTERS_VERSION 2

enum {
  HEDDLE_BATCH_SIZES = 12, // 1, 2, to 4, to 8, ... to 1024, more
  HEDDLE_COUNTER_SLOTS = 128,
  HEDDLE_COUNTER_PROCESSES = 128,
  HEDDLE_COUNTER_PLACES = 64,
};

struct heddle_counters_process {
  uint32_t number;  // 0: none
  uint32_t forking; // not 0: it keeps the entry for a child that has yet to take it
  uint64_t since;   // it had begun by then: a later process with its number is another one
};

// Where packets became alone, the first that came: written by any thread, each count in one step.
struct heddle_counters_place {
  uint32_t state; // 0: free, 1: being named, 2: named
  uint32_t unused;
  uint64_t packets;
  char name[240];
};

struct heddle_counters_head {
  uint64_t magic;
  uint32_t version;
  uint32_t bodies;
  uint64_t size;      // of the file, in bytes
  uint64_t slot_size; // likewise
  uint32_t slots;
  uint32_t rows;     // of a slot
  uint64_t made;     // when
  uint64_t slotless; // threads that found no slot, and are not counted
  uint32_t ended;    // the last process has ended by itself
  uint32_t unused;
  char program[64]; // its name, without folders
  struct heddle_counters_process
      processes[HEDDLE_COUNTER_PROCESSES]; // those that may count: the first, and what it forked
  struct heddle_counters_place places[HEDDLE_COUNTER_PLACES];
};

struct heddle_counters_body {
  char name[240];
  uint32_t first_row, rows; // one row for each stage
  uint64_t unused;
};

struct heddle_counters_row {
  uint64_t visits;   // times that the stage ran for some packets
  uint64_t packets;  // that ran in these
  uint64_t left_out; // times that a packet waited for it and was left out because of its key
  uint64_t waited;   // by those, in nanoseconds
};

struct heddle_counters_slot {
  uint32_t number; // of the process that has claimed it; 0: free
  uint32_t unused;
  uint64_t packets;    // that could be suspended
  uint64_t one_by_one; // that ran to their ends without others: staging off, or too few of them
  uint64_t batches, crossings, alone, deferred, visits, held; // as in heddle.h
  uint64_t received;                                          // packets of batches as they were received
  uint64_t sizes[HEDDLE_BATCH_SIZES];                         // these batches, by their packets
  uint64_t more[2];                                           // to whole cache lines
  struct heddle_counters_row rows[];
};
