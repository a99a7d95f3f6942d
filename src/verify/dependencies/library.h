// What functions outside the program touch, exactly and at run time: a table with one line per function. It is the
// checker's own; the analysis's table (src/analysis/external_models.h) says what a function may touch, in the terms of
// its objects.
//
// An effect is one of
//
//     rA  wA EXTENT   reads, writes what argument A points to (nothing if it is null);  W EXTENT  what the result
//                     points to
//     fA              a printf format with its arguments behind it: the strings it reads
//     sA  s-          uses the stream that is argument A / standard output
//     dA              uses the file descriptor that is argument A;  d-  the result is a new one
//     @NAME.r  .w     reads, writes state of the system's, or of the library's, that has this name;  .oA  as the flags of open() in argument
//                     A say
//     new EXTENT      the result is fresh memory;  newA EXTENT  where argument A points to, a pointer to some is stored
//     xA              releases what argument A points to
//     getA  getA*B    from the pool that is argument 0 one object is stored where A points to / B objects
//     putA  putA*B    to the pool that is argument 0 goes the object A / go B objects that A points to
//     freeA*B         B packet buffers, pointers to which lie where A points to, go back to their pools
//     alloc           all that the function itself does is an allocator's own business
//     ?               more than these: the call is listed as not seen into
//
// with the EXTENT
//
//     *B  *B*C  =N    as many bytes as argument B says, B times C, N
//     $  $B           a string with its end; of at most as many bytes as argument B says
//     ^  ^*B          as many bytes, or records of B bytes, as the call returns
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

#include <vector>

namespace heddle {

struct LibraryEffect {
  enum class Kind {
    Read,
    Write,
    WriteResult,
    Format,
    Stream,
    Descriptor,
    NewDescriptor,
    System,
    New,
    NewAt,
    Release,
    Get,
    Put,
    FreeBuffers
  };
  enum class Extent { None, Bytes, Arguments, String, Returned };
  Kind kind = Kind::Read;
  int argument = -1; // -1 of Stream: standard output
  Extent extent = Extent::None;
  uint64_t bytes = 0;
  int size_argument = -1, size_argument2 = -1;
  unsigned system = 0; // a number for its name
  bool writes = true;  // of System; where there is an argument, it has open()'s flags, and they decide
};

struct LibraryFunction {
  std::vector<LibraryEffect> effects;
  bool allocator = false, more = false;
  bool kept = false; // output that a plan defers: what it reads counts, where it is made does not
};

// Null: not in the table. Functions of the program are taken by name only where they are DPDK's inline functions or
// well-known pool allocators.
const LibraryFunction* library_function(const llvm::Function& function);

// The name of the system's state `number`.
llvm::StringRef system_state_name(unsigned number);

} // namespace heddle
