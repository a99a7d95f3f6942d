// What functions outside the program do to memory, as a table with one line per function.
//
// A model is a list of clauses separated by blanks. A, B, C are argument numbers, "A+" means A and all
// arguments after it.
//
//     rA  rA=N  rA*B  reads what argument A points to: to its end, N bytes, or as many as argument B says
//     wA  wA=N  wA*B  writes it
//     VA              argument A is a va_list: reads it, the arguments and what they point to
//     RA  WA          reads / writes all that can be reached from argument A
//     kA  kA!         the callee keeps the pointer / what is stored behind it (it escapes to the outside world)
//     fA              ... but only if it is a function: callbacks
//     xA  xA!         consumes (frees, takes over) the object / the objects in the array A
//     tA              throws it
//     A<B  A<B*C      copies what B points to, pointers included, to where A points (C: the length)
//     =<B             the same into the result
//     =V              returns V
//     *A=V  *A+=V     stores V where A points to;  A[]=V  somewhere into A's object
//     cA(V,V)         calls function pointer A with these arguments
//     @SYSTEM  @SYSTEM.r  @SYSTEM.w   touches a system location: reads and writes / only reads / only writes
//     @stdio:A  @stdio:out  @fd:A   touches the stream or descriptor that argument A is, standard output
//     SYSTEM:=V       the system keeps V, for held:SYSTEM to give it back (epoll's user data)
//     exit            does not come back
//
// A name that ends in "*" stands for all functions that begin with it and have no line of their own:
// libraries that work on objects of their own and on the buffers and strings they are given, and do not
// follow pointers in these.
//
// V is one of
//     B, B~           argument B, a pointer to somewhere into B's object
//     new  new*B  new*B*C   fresh memory (of argument B, or B times C bytes)
//     obj             a fresh object of the library's own
//     static          a buffer that the function owns, and that may point to itself
//     const           a table of the library's that nobody writes, through any number of pointers
//     lib             the one object that stands for all objects of the library
//     held:SYSTEM     what was given to the system
//     packet          a fresh packet buffer (mbuf and data)
//     message:B       a fresh message of libDAQ (with header and data) that the instance B delivers
//     in:B            what is stored somewhere in B's object
//     frame:B header data   the arguments of packet callbacks (frame: struct heddle_pcap_packet, user B)
//     unknown         anything the outside world holds
//     none            no pointer
//     @SYSTEM         a system object
#pragma once

#include "analysis/objects.h"
#include "program/modelled.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace heddle {

struct ModelClause {
  enum class Kind : uint8_t {
    Read,
    Write,
    ReadList,
    ReadDeep,
    WriteDeep,
    Keep,
    Consume,
    Throw,
    KeepCode,
    StoreSystem,
    Copy,
    Return,
    StoreTo,
    Call,
    System,
  };
  enum class Source : uint8_t {
    Argument,
    Into,
    Contents,
    Fresh,
    Opaque,
    Static,
    Constant,
    Library,
    Held,
    SystemObject,
    Unknown,
    Packet,
    Message,
    Frame,
    Header,
    Data,
    None,
  };
  struct Actual {
    Source source = Source::None;
    int argument = -1;
  };

  Kind kind = Kind::Read;
  static constexpr int standard_output = -2; // as the argument of System: that stream
  int argument = -1;                         // A
  bool anywhere = false;                     // "A[]"
  bool onwards = false;                      // "A+"
  bool through = false;                      // "A!"
  uint64_t size = unknown_size;              // "=N"
  int size_argument = -1, size_argument2 = -1;
  Source source = Source::None; // of Return, StoreTo, Copy
  int source_argument = -1;
  SystemLocation system = SystemLocation::External;
  bool reads = true, writes = true; // of System; `argument` is the stream or descriptor
  std::vector<Actual> actuals;      // of Call
};

struct ExternalModel {
  llvm::StringRef name;
  std::vector<ModelClause> clauses;
  bool returns = true;
  bool has_fresh_result() const;
};

// The model of an external function or of one that is modelled by name although it is defined; null: none.
// Compiler intrinsics are not in the table (the constraint builder knows them).
const ExternalModel* find_model(llvm::StringRef name);
const ExternalModel* model_of(const llvm::Function& function);

// A function that is defined in the program and taken by its model must still have the arguments that the
// model names: optimisation may remove one that the body does not use. Error: which function, and which.
llvm::Error check_models(const llvm::Module& module);

// A direct call that ends the program. Every such call gets a gate, so a packet makes it alone.
bool is_final_exit(const llvm::Function& function, const llvm::CallBase& call);

// Is `function` defined in the program but taken by its model (DPDK's inline functions)?
bool is_modelled_by_name(llvm::StringRef name);

} // namespace heddle
