// A site in LLVM IR: the check, and the inline switch to the next packet.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class Module;
class Twine;
} // namespace llvm

namespace heddle {

// What a packet that was suspended finds again as it left it, other than its stack.
struct SiteKeeps {
  bool copies = false; // where its scratch variables are (privatize.h)
  bool own_errno = false;
};

// Puts a site on the edge from `from` to `to` (all of them where a switch has several): a packet that passes
// has finished every stage below `stage`. The edge must exist and `to` must not be an exception pad.
void insert_site(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage, const SiteKeeps& keeps = {});

// A word of the thread's state (runtime/layout.h).
llvm::Value* thread_field(llvm::IRBuilder<>& builder, unsigned offset);
// Where the thread's state says where the running packet's copies of scratch variables are.
llvm::Value* copies_field(llvm::IRBuilder<>& builder);

// An empty block on the edge from `from` to `to` (on all of them): where a site stands.
llvm::BasicBlock& insert_block(llvm::BasicBlock& from, llvm::BasicBlock& to, const llvm::Twine& name);

// Whether an edge exists, and whether control passes it in a way that leaves room for a site.
bool has_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
bool edge_takes_site(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

// A site or a gate runs other packets' code: whatever the optimiser concluded about the memory that a function or
// call can touch, and about its arguments being unaliased, was about the function without it.
void forget_conclusions(llvm::Function& function);
void forget_conclusions(llvm::CallBase& call);
// What was concluded about one packet from restrict pointers and loops, and debug records about places that are no more.
void forget_scopes(llvm::Function& run);

// Defines the runtime's heddle_default_batch in the module (weak: an environment or API setting overrides
// its value at run time, not the symbol).
void define_default_batch(llvm::Module& module, unsigned batch);
// Any such number.
void define_setting(llvm::Module& module, llvm::StringRef name, unsigned value);

} // namespace heddle
