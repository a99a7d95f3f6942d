// Calls through pointers, short loops and expensive loads, rewritten so that cuts can lie in the code they run.
//
// Problem. A cut is crossed at most once on any path, so the body's graph (src/analysis/body_graph.h) opens
// neither a call whose callee is only known at run time nor anything inside a loop. Event-driven programs do
// nothing else: `rev->handler(rev)` is the whole packet, and a request passes its phases in a loop.
//
// Choice. Both become ordinary code before anything is analysed:
//   - a call is made directly to each of the functions that packets of the sample reached through it, after a
//     comparison of the pointer; the call through the pointer stays, for all others;
//   - a loop's first iterations get copies of their own, one after another, in front of the loop, which stays.
// A third kind of opening divides a block before a load, so that a packet may wait for memory there (program/expensive.h), and a fourth one
// behind a value that is a key (program/claims.h).
//
// Both are what compilers do with profiles (indirect call promotion, loop peeling), and change nothing that
// the program does, whatever the pointers and trip counts are in production. LLVM's own peeling only takes loops
// that are left at the latch alone; the copies here are made for any loop.
#pragma once

#include "program/openings.h"
#include "program/program.h"

namespace llvm {
class Loop;
}

namespace heddle {

constexpr BlockId no_block = UINT32_MAX;

// Opens them all. The blocks of `program` are numbered anew; the result has, for each of the new blocks, the old
// block that it is or is a copy of, or no_block for one that has only comparisons and jumps, or a call, in it.
// Errors: a block or function that is not there, or a call or loop that cannot be opened.
llvm::Expected<std::vector<BlockId>> open_program(Program& program, const Openings& openings);

// Could open_program do it? For the call that ends `block`, with `target`; for a loop.
bool can_open_call(const llvm::BasicBlock& block, const llvm::Function& target);
bool can_open_loop(const llvm::Loop& loop);

} // namespace heddle
