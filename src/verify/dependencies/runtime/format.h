// What the checked program leaves behind: one file, mapped and shared by all of its processes, so that it is complete
// however they end. A header, a table of pairs, and a count per library function that was not looked into.
#pragma once

#include <stdint.h>

namespace heddle::dependencies {

constexpr char file_magic[8] = {'H', 'D', 'E', 'P', 'E', 'N', 'D', '1'};
constexpr uint32_t most_pairs = 1 << 14; // places of the table; a power of two
constexpr uint32_t most_unseen = 4096;
constexpr uint32_t most_own_slots = 16; // of objects that a packet has in place of shared ones

// Which relaxation lets a pair through.
enum class Relaxation : uint8_t { None, Commutative, Allocator, Commuting, Scratch, Errno, Lock, Keyed };

// Regions are code whose accesses do not conflict with each other: that of allocators, that of locks, and that of each
// group of functions that the user declared to commute. A bit for each that an access is made in.
constexpr uint32_t allocator_region = 1, lock_region = 2, first_group_region = 4;

// What the bytes belong to.
enum class ObjectKind : uint8_t {
  Unknown,     // memory that the program did not allocate itself
  Global,      // `object` counts in the program's table of globals
  Heap,        // `object` is the place of the allocation
  Stack,       // of the function that holds the packet loop, or of one of its callers
  Thread,      // a thread-local variable
  Stream,      // a C stream
  Descriptor,  // `object` is a file descriptor
  System,      // state of the system's or of a library, such as the random generator's
  HeldLock,    // a packet is suspended and holds a lock
  LoopControl, // the decision that no further packet comes
};

// An access of an earlier packet and one of a later packet that the plan's order reverses.
struct Pair {
  uint32_t first_place, second_place; // first_place 0: a free entry
  Relaxation relaxation;
  uint8_t first_writes, second_writes;
  ObjectKind object_kind;
  uint32_t object;
  uint64_t count;
  // Of the first one seen.
  uint64_t first_packet, second_packet, batch;
  uint32_t first_stage, second_stage;
  uint64_t address, offset, object_size;
};

struct File {
  char magic[8];
  char program[64]; // Program::id
  uint32_t lock, unused;
  uint64_t packets, batches, staged_packets, accesses;
  uint64_t alone;        // packets that a gate made run alone
  uint64_t lost_pairs;   // the table was full
  uint64_t lost_records; // the shadow of a batch was full
  uint64_t unseen[most_unseen];
  Pair pairs[most_pairs];
};

// An access as instrumented code describes it in one word: its size, whether it writes, and, for the halves of an
// update whose old value is used for nothing else, the operation.
constexpr uint32_t what_size = 0xfffff;
constexpr uint32_t what_write = 1 << 20;
constexpr unsigned what_op_shift = 24;

} // namespace heddle::dependencies
