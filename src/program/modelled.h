// The functions whose meaning Heddle knows: receive interfaces, and the inline functions of DPDK that move
// packets and buffers. They are kept as calls (never inlined), so that every later step sees the operation
// and not DPDK's insides.
#pragma once

#include "program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace heddle {

// A function that hands over a batch: which argument is the array it fills (-1: none) and which the callback.
struct ReceiveInterface {
  llvm::StringRef name;
  ReceiveKind kind;
  int array;    // index of the argument that points to the array of packets, -1 without one
  int callback; // index of the argument that is the callback, -1 for loops
};

llvm::ArrayRef<ReceiveInterface> receive_interfaces();

// The receive interface that `function` is, if any. Internal copies ("rte_eth_rx_burst.7") count.
const ReceiveInterface* receive_interface(const llvm::Function& function);

// A function that receives one datagram, and the runtime's function that takes its place where each iteration of a
// packet loop calls it (src/runtime/receive.cpp, src/runtime/pcap_next.cpp).
struct DatagramReceive {
  llvm::StringRef name;
  ReceiveKind kind;
  llvm::StringRef stand_in;
};

// The entry for the external function that `call` calls directly, by its own name; null: none.
const DatagramReceive* datagram_receive(const llvm::CallBase& call);
// Of libpcap's, not of a socket's.
bool is_capture(ReceiveKind kind);
// Is `name` one of the stand-ins?
bool receives_ahead(llvm::StringRef name);
// Does the program call any?
bool receives_datagrams(const llvm::Module& module);

// A direct call of another function in which a program waits for what comes from outside.
bool waits_for_input(const llvm::CallBase& call);

// A function that hands over packets one by one and takes a verdict on each before it brings the next.
bool takes_verdicts(const llvm::Function& function);

// Name as in the source: without the ".7" that merging gives to the second and later copies of a static
// function, and without C++'s mangling of static functions.
llvm::StringRef source_name(const llvm::GlobalValue& value);

// Is `name` what the user calls the function? C++ functions go by their qualified name, without parameters.
bool is_called(const llvm::Function& function, llvm::StringRef name);

// The name under which a function was declared (PrepareOptions::declarations); copies of it that the optimiser
// makes have the same. Empty: it was not.
llvm::StringRef declared_name(const llvm::Function& function);
void set_declared_name(llvm::Function& function, llvm::StringRef name);

// True for the inline functions of DPDK that analysis models by name (rte_pktmbuf_free, rte_eth_tx_burst...).
bool is_modelled_inline(llvm::StringRef name);
llvm::ArrayRef<llvm::StringRef> modelled_inlines();

// Well-known pool allocators of programs (ngx_palloc, apr_palloc, ...): their bodies carve memory out of
// blocks, which no points-to analysis sees. Analysis takes each call as an allocation.
llvm::ArrayRef<const char*> pool_allocators();

} // namespace heddle
