// Output whose success the program looks at: `[[output]]` of heddle.toml.
//
// Problem. A call for output can be kept with its packet and made later (program/deferrable.h) if nothing uses its result. Careful
// programs do: a log whose disk is full, an answer that was sent in part. And a log's descriptor is one for all packets, among
// descriptors that each belong to one: the analysis does not tell them apart.
// Choice: the user names the functions that put it out, and says by it that what they put out goes where packets put nothing else,
// and that the program may go on as if all of it was written. Before the optimiser runs, the calls for output in these functions get
// a mark, which stays with them in every copy that is made of the code. A kept call with the mark insists, when it is made: it goes on
// after a part and waits a while for room (src/runtime/output_calls.cpp).
// Short functions of the program's that these call for it (nginx's ngx_write_fd) are made part of them first: others call them, too.
#pragma once

#include "program/declarations.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace heddle {

// Errors, with file and line: a function that makes no such call.
llvm::Error mark_declared_output(llvm::Module& module, const Declarations& declarations);

// Does the call have the mark?
bool is_declared_output(const llvm::CallBase& call);
// Of which declaration, by its place among those of this kind: others may come and go, and the program stays the same.
bool is_output_of(const llvm::CallBase& call, size_t number);

} // namespace heddle
