// Which calls through pointers and which loops are opened (src/program/open.h).
#pragma once

#include "profile/trace.h"
#include "program/open.h"

namespace heddle {

// By what packets of the sample ran. A matter of speed alone: whatever is opened, the program does the same.
// - A loop: one that holds at least a twentieth of the packets' blocks, callees included, and of whose runs no more
//   than one in a hundred has more than 16 iterations. Outermost loops only.
// - A call: one that at least one packet in a hundred makes, outside of loops or in one that is opened; each target
//   that at least one in a hundred of these calls reached, or one call for every hundred packets: what a packet in
//   twenty calls is no rare code, however often it calls others.
Openings choose_openings(const Program& program, const Trace& trace);

// Opens them in the program, and makes the trace what the opened program would have made it.
llvm::Error open_traced(Program& program, Trace& trace, const Openings& openings);

} // namespace heddle
