// What functions outside the program do to memory, as a table with one line per function.
//
// A model is a list of clauses separated by blanks. A, B are argument numbers, "A+" means A and all
// arguments after it.
//
//     rA  rA=N  rA*B  reads what argument A points to: to its end, N bytes, or as many as argument B says
//     wA  wA=N  wA*B  writes it
//     RA  WA          reads / writes all that can be reached from argument A
//     kA              the callee keeps the pointer (it escapes to the outside world)
//     xA              consumes (frees, takes over) the object
//     A<B  A<B*C      copies what B points to, pointers included, to where A points (C: the length)
//     =A   =A~        returns argument A / a pointer to somewhere into the same object
//     =new  =new*A  =new*A*B  returns fresh memory (of argument A, or A times B bytes)
//     =static  =SYSTEM  =unknown   returns a buffer of the function's own / a system object / anything
//     escaped =obj             returns a fresh opaque object owned by the library *A=new  *A=B  *A=B~
//     *A=unknown   stores that into *A;  *A=packets stores fresh packets into the array =packet returns a
//     fresh packet buffer (mbuf and data) cA(B,C~)        calls function pointer A with these arguments ("-":
//     anything else) +SYSTEM  +SYSTEM.r    touches a system location: reads and writes / only reads exit does
//     not come back
#pragma once

#include "analysis/objects.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

#include <cstdint>
#include <vector>

namespace heddle {

struct ModelClause {
  enum class Kind : uint8_t {
    Read,
    Write,
    ReadDeep,
    WriteDeep,
    Keep,
    Consume,
    Copy,
    Return,
    StoreTo,
    Call,
    System,
  };
  enum class Source : uint8_t { Argument, Into, Fresh, Opaque, Static, SystemObject, Unknown, Packet, Other };
  struct Actual {
    Source source = Source::Other;
    int argument = -1;
  };

  Kind kind;
  int argument = -1;            // A
  bool onwards = false;         // "A+"
  uint64_t size = unknown_size; // "=N"
  int size_argument = -1, size_argument2 = -1;
  Source source = Source::Other; // of Return, StoreTo, Copy
  int source_argument = -1;
  SystemLocation system = SystemLocation::External;
  bool read_only = false;      // of System
  std::vector<Actual> actuals; // of Call
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

// Is `function` defined in the program but taken by its model (DPDK's inline functions)?
bool is_modelled_by_name(llvm::StringRef name);

// Well-known pool allocators of programs (ngx_palloc, apr_palloc, ...): their bodies carve memory out of
// blocks, which no points-to analysis sees. Modelled as allocators when the program defines them; preparation
// must keep them from being inlined.
llvm::ArrayRef<const char*> pool_allocators();

} // namespace heddle
