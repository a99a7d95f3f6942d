// Packet loops that receive one datagram per iteration (recvfrom, recvmsg, recv), or one captured packet (pcap_next_ex,
// pcap_next).
#pragma once

#include "program/receive.h"

namespace heddle {

// The loops, in module order; none that waits for something else as well, and none that may read a stream. What was
// seen and not taken is told in `remarks`. The functions must be in SSA form.
std::vector<FoundBody> find_datagram_loops(llvm::Module& module, std::vector<Remark>& remarks);

// The calls of which each iteration of this loop, and of no loop inside it, receives one datagram.
llvm::SmallVector<llvm::CallBase*, 2> datagrams_of(llvm::Module& module, llvm::BasicBlock& header);

// From here on the runtime makes the call (src/runtime/receive.cpp, src/runtime/pcap_next.cpp).
void receive_through_runtime(llvm::CallBase& call);

// Where the program may have a receive wait for more than there is (SO_RCVLOWAT): the runtime's could not tell. Null:
// nowhere.
const llvm::Instruction* sets_low_water(const llvm::Module& module);

} // namespace heddle
