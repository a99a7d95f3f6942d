// Calls that take one packet from libpcap (pcap_next_ex, pcap_next).
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace heddle {

// Brings what such calls deliver out of the variables that they fill: on the way on which a call has brought a packet, and
// on no other, its header and data are new values. Returns the functions that were changed.
llvm::SmallVector<llvm::Function*, 4> separate_captured(llvm::Module& module);

// Where the program may use the file that libpcap reads packets from, which staged is read ahead. Null: nowhere.
const llvm::Instruction* uses_capture_file(const llvm::Module& module);

// Does every live capture that the program opens return after a time, packet or not?
bool captures_time_out(const llvm::Module& module);

} // namespace heddle
