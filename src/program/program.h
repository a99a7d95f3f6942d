// The model of a packet program: where it receives, what runs for one packet, and the one module on which
// every later step works.
//
// prepare() merges the image's bitcode, finds receive interfaces and packet loops, outlines each packet
// body into a function of the form
//
//     i32 @heddle.body.N(ptr env)      0: go on with the next packet; k > 0: leave the loop through exit k
//
// runs the mid-level optimiser once, and splits blocks after calls (normal form: a call to anything but an
// intrinsic is followed by an unconditional branch). From then on the module is fixed: profile, analysis and
// transformation number its blocks the same way (BlockTable) and only code generation follows.
//
// Loops: the call @heddle_run_loop(ptr body, ptr env, i64 count) stands in place of the loop; `env` is one
// frame shared by all packets of the batch (captured variables, values carried from one iteration to the
// next); `count` is a hint: the number of packets where it is known on entry, else -1. It returns the exit
// code. A call of the body is one iteration, its loop test included.
// A loop that receives one datagram per iteration keeps its call, under another name: @heddle_recvfrom, heddle_recvmsg and
// heddle_recv (src/runtime/receive.cpp), heddle_pcap_next_ex and heddle_pcap_next (src/runtime/pcap_next.cpp) take the same
// arguments.
// Callbacks: @heddle_pcap_loop(ptr pcap, i32 count, ptr body, ptr user, ptr callback) and
// @heddle_pcap_dispatch (same) stand in place of pcap_loop and pcap_dispatch; `env` is then a
// struct heddle_pcap_packet (src/runtime/runtime.h), one per packet.
#pragma once

#include "program/block_id.h"
#include "program/declarations.h"
#include "support/diagnostic.h"
#include "toolchain/image.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DIScope;
} // namespace llvm

namespace heddle {

struct SourceLocation {
  std::string file; // as in the debug information, relative to the compilation folder where possible
  unsigned line = 0;
  std::string str() const; // "file:line", or "?" without debug information
};

enum class ReceiveKind {
  DpdkRxBurst,
  EpollWait,
  Poll,
  Recvmmsg,
  PcapCallback,
  UserNamed,
  Recvfrom,
  Recvmsg,
  Recv,
  PcapNextEx,
  PcapNext,
  DaqMessages,
  XskRing
};
llvm::StringRef receive_name(ReceiveKind kind); // "rte_eth_rx_burst", "epoll_wait", ...

struct PacketBody {
  unsigned number = 0; // N of heddle.body.N
  ReceiveKind receive;
  SourceLocation receive_at, loop_at;
  std::string function;           // function that held the loop, or the callback
  llvm::Function* body = nullptr; // heddle.body.N
  llvm::CallBase* run = nullptr;  // the call of heddle_run_loop / heddle_pcap_loop / heddle_pcap_dispatch
  bool is_callback() const { return receive == ReceiveKind::PcapCallback; }
};

struct PrepareOptions {
  std::vector<std::string> bodies; // --body FUNCTION[:loop]: instead of what is found
  Declarations declarations;       // the functions that they name stay calls
  unsigned opt_level = 2;          // of the mid-level pipeline
};

struct Program {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<PacketBody> bodies;
  std::string id; // digest of image id, options and Heddle's version: plans and profiles carry it
  std::vector<Remark> remarks;
};

// Errors: bitcode that cannot be merged, --body or a declaration naming nothing, no packet body found.
llvm::Expected<Program> prepare(const ProgramImage& image, const PrepareOptions& options = {});

// What Program::id of prepare(image, options) would be.
std::string program_id(const ProgramImage& image, const PrepareOptions& options = {});

// The prepared program as a file (bitcode with metadata), so that steps need not repeat the work.
llvm::Error save_program(const Program& program, llvm::StringRef path);
llvm::Expected<Program> load_program(llvm::StringRef path);

// Every block of every defined function in module order: the numbering that traces, footprints, weights and
// plans share. Stable as long as the module is not changed.
class BlockTable {
public:
  explicit BlockTable(const llvm::Module& module);
  BlockId id(const llvm::BasicBlock* block) const { return ids_.lookup(block); }
  const llvm::BasicBlock* block(BlockId id) const { return blocks_[id]; }
  size_t size() const { return blocks_.size(); }

private:
  std::vector<const llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, BlockId> ids_;
};

// The call that ends a block in normal form: an invoke, or the call of anything but an intrinsic before the terminator. Null
// if there is none.
const llvm::CallBase* ending_call(const llvm::BasicBlock& block);
llvm::CallBase* ending_call(llvm::BasicBlock& block);

// The name of a scope's file: relative to the compilation folder where possible.
std::string short_file_name(const llvm::DIScope& scope);

// First usable file:line of an instruction (inlined-at resolved to the innermost frame).
SourceLocation location_of(const llvm::Instruction& instruction);

} // namespace heddle
