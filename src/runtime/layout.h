// The per-thread staging state and one packet's context, as C structures and as the offsets that the
// assembly and the inline switch use. Included by C, C++ and assembly.
#pragma once

// Of struct heddle_thread.
#define HEDDLE_THREAD_ROUND 0
#define HEDDLE_THREAD_REPEAT 4
#define HEDDLE_THREAD_CURRENT 8
#define HEDDLE_THREAD_HOME_SP 16
#define HEDDLE_THREAD_BODY 24
#define HEDDLE_THREAD_ENV 32
#define HEDDLE_THREAD_PACKETS 40
#define HEDDLE_THREAD_COPIES 48
#define HEDDLE_THREAD_BATCHES 56
#define HEDDLE_THREAD_CROSSINGS 64
#define HEDDLE_THREAD_VISITS 88

// Of struct heddle_context.
#define HEDDLE_CONTEXT_SP 0
#define HEDDLE_CONTEXT_RESUME 8
#define HEDDLE_CONTEXT_RBP 16
#define HEDDLE_CONTEXT_RBX 24
#define HEDDLE_CONTEXT_STAGE 32
#define HEDDLE_CONTEXT_SIZE 64

// As a round: staging is off. As a context's stage: nothing is suspended there and nothing may start.
#define HEDDLE_NONE 0xffffffff
// As a round: the packet that runs is alone (alone.cpp); its sites do nothing. No context waits for it.
#define HEDDLE_ALONE 0xfffffffe

// Packets of a batch of an interleaved body in which packets begin where others end (src/transform/interleave.cpp).
#define HEDDLE_INTERLEAVED_BATCH 1024

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

// Where one in-flight packet waits. Contexts of a thread lie in an array in packet order, so that "the next
// packet" is the next element; the element after the last one has the stage HEDDLE_NONE.
struct heddle_context {
  void* sp; // stack pointer and resume address of the suspended packet
  void* resume;
  void* rbp; // the two registers that the compiler may need itself around the switch
  void* rbx;
  uint32_t stage; // the stage it waits to enter; 0: free, a packet may start here
  uint32_t unused;
  void* fake_stack;    // AddressSanitizer's, while suspended
  unsigned char* top;  // initial stack pointer
  unsigned char* base; // lowest usable byte of the private stack
};

struct heddle_kept;          // deferred.cpp
struct heddle_schedule;      // keys.h
struct heddle_counters_slot; // counters_file.h

// What a packet before the one that is looked at has claimed (keys.cpp).
struct heddle_known_key {
  uint64_t value, number;
};

// Of one key, the packets before the one that is looked at (keys.cpp).
struct heddle_earlier_keys {
  uint32_t last;  // who has left this stage behind is not looked at; 0: nobody is
  uint32_t count; // packets that hold something
  uint32_t any;   // packets that may hold anything
};

struct heddle_thread {
  // The stage that runs now, HEDDLE_NONE while staging is off: a site of a stage up to this does nothing.
#ifdef __cplusplus
  uint32_t round = HEDDLE_NONE;
#else
  uint32_t round;
#endif
  // The round in which a finished packet makes room for a new one on its stack (0 in packet loops).
  uint32_t repeat;
  struct heddle_context* current; // the packet that runs
  void* home_sp;                  // the scheduler's stack pointer while a packet runs
  int (*body)(void* env);
  void* env;
  uint64_t packets; // started staged
  void*
      copies; // the running packet's, of scratch variables (transform/privatize.cpp); null outside of staged packets

  uint64_t batches, crossings, alone, deferred;
  uint64_t visits; // rounds of stages above 0
  uint64_t held;   // times that a packet was left out of one because of a key
  struct heddle_context* contexts;
  struct heddle_kept* kept;                 // per context: the output that its packets have put off
  uint64_t* keys;                           // per context: what its packet has claimed of each key
  struct heddle_earlier_keys* earlier_keys; // per key
  struct heddle_known_key* key_table;
  uint64_t key_table_size, key_table_number; // entries of lower numbers are free
  int keys_changed;                          // since it was found out whether any two packets may meet
  int keys_meet;                             // that they may
  struct heddle_context* oldest;    // packets in contexts before it have ended, and their output is made
  struct heddle_context* kept_end;  // contexts from it on keep nothing
  struct heddle_context* used_end;  // contexts before it hold packets of this batch
  struct heddle_context* limit_end; // contexts before it may be used
  size_t step;                      // 1; 2 under AddressSanitizer
  unsigned limit, capacity;
  unsigned char* pool; // the mapping that holds the stacks and the contexts
  size_t pool_size;
  // While a signal handler runs: the round of what it interrupted.
#ifdef __cplusplus
  uint32_t interrupted = HEDDLE_NONE;
#else
  uint32_t interrupted;
#endif

  int in_handler; // a signal handler runs, in the middle of whatever was interrupted

  int active; // a staged run is under way (or was left by longjmp)

  int stopped; // a body asked to leave the loop: start no more
  int result;
  struct heddle_context* stopped_at;
  void* exception; // one that left a body, to go on in the caller
  struct heddle_context* exception_at;
  void* home_fake_stack; // AddressSanitizer's view of the caller's stack
  const void* home_bottom;
  size_t home_size;

  // Of a loop whose number of packets is not known beforehand (schedule.cpp, "Few packets").
  unsigned least;             // packets of a batch that is worth staging
  unsigned pause, pause_left; // packets that run one by one before another batch is tried
  uint64_t noted;             // of `packets`: those whose batch is known

  struct heddle_counters_slot* slot; // counters.cpp
  int slotless;                      // there was none left
};

#ifdef __cplusplus
#define HEDDLE_CHECK_OFFSET(type, field, offset) static_assert(offsetof(type, field) == (offset))
#else
#define HEDDLE_CHECK_OFFSET(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #field)
#endif
HEDDLE_CHECK_OFFSET(struct heddle_thread, round, HEDDLE_THREAD_ROUND);
HEDDLE_CHECK_OFFSET(struct heddle_thread, repeat, HEDDLE_THREAD_REPEAT);
HEDDLE_CHECK_OFFSET(struct heddle_thread, current, HEDDLE_THREAD_CURRENT);
HEDDLE_CHECK_OFFSET(struct heddle_thread, home_sp, HEDDLE_THREAD_HOME_SP);
HEDDLE_CHECK_OFFSET(struct heddle_thread, body, HEDDLE_THREAD_BODY);
HEDDLE_CHECK_OFFSET(struct heddle_thread, env, HEDDLE_THREAD_ENV);
HEDDLE_CHECK_OFFSET(struct heddle_thread, packets, HEDDLE_THREAD_PACKETS);
HEDDLE_CHECK_OFFSET(struct heddle_thread, copies, HEDDLE_THREAD_COPIES);
HEDDLE_CHECK_OFFSET(struct heddle_thread, batches, HEDDLE_THREAD_BATCHES);
HEDDLE_CHECK_OFFSET(struct heddle_thread, crossings, HEDDLE_THREAD_CROSSINGS);
HEDDLE_CHECK_OFFSET(struct heddle_thread, visits, HEDDLE_THREAD_VISITS);
HEDDLE_CHECK_OFFSET(struct heddle_context, sp, HEDDLE_CONTEXT_SP);
HEDDLE_CHECK_OFFSET(struct heddle_context, resume, HEDDLE_CONTEXT_RESUME);
HEDDLE_CHECK_OFFSET(struct heddle_context, rbp, HEDDLE_CONTEXT_RBP);
HEDDLE_CHECK_OFFSET(struct heddle_context, rbx, HEDDLE_CONTEXT_RBX);
HEDDLE_CHECK_OFFSET(struct heddle_context, stage, HEDDLE_CONTEXT_STAGE);
HEDDLE_CHECK_OFFSET(struct heddle_context, base, HEDDLE_CONTEXT_SIZE - sizeof(void*));
#endif
