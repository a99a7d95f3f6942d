// What happens to the whole module before and after outlining.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace heddle {

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> target_machine(const llvm::Module& module);

// Keeps modelled functions and those of `calls` (declared_name()) out of the inliner, forgets -O0 markings,
// promotes variables to SSA values and infers what functions do with their arguments. Loops stay as they were
// written.
void make_readable(llvm::Module& module, llvm::TargetMachine& machine,
                   llvm::ArrayRef<std::string> calls = {});

// In these functions, joins branches that one result decides and promotes variables again.
void join_branches(llvm::TargetMachine& machine, llvm::ArrayRef<llvm::Function*> functions);

// The mid-level optimiser, as clang -O<level> would run it. Of `bodies`, those without loops and calls stay as they are before vectors
// are made: a loop over packets that is put back (transform/restore.h) can then become vectors of packets, as it would have.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned level,
              llvm::ArrayRef<std::string> bodies = {}); // names

// The optimiser's function passes once more, for functions that were put together anew; with `loops`, what makes loops fast, too:
// rotation, vectorising, unrolling.
void simplify(llvm::TargetMachine& machine, llvm::ArrayRef<llvm::Function*> functions, bool loops = false);

// Normal form: a call to anything but an intrinsic or inline assembly is the last instruction before an
// unconditional branch (or before unreachable, or a musttail call's return). Returns the splits made.
unsigned split_after_calls(llvm::Module& module);

} // namespace heddle
