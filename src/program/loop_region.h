// The part of a function that becomes the body, and what goes in and out of it.
#pragma once

#include "program/program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle {

// The analyses of one function, as of when it was made.
struct FunctionAnalyses {
  explicit FunctionAnalyses(llvm::Function& function);

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl library_base;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
  llvm::TargetTransformInfo costs;
};

// A value that one iteration hands to the next.
struct Carried {
  llvm::PHINode* phi;          // in the header
  llvm::Value* initial;        // from the preheader
  llvm::Value* next;           // from the latch
  bool at_entry = false;       // the next value needs nothing that the iteration does: stored on entry
  bool store_at_latch = false; // else right after the definition of `next`
};

// One edge that leaves the region. Its code is its index + 1.
struct ExitEdge {
  llvm::BasicBlock* from;
  llvm::BasicBlock* to;
};

struct LoopRegion {
  llvm::Function* function = nullptr;
  llvm::BasicBlock *preheader = nullptr, *header = nullptr, *latch = nullptr;
  llvm::SetVector<llvm::BasicBlock*> blocks; // of the loop, and the landing pads its calls unwind to
  std::vector<Carried> carried;
  std::vector<ExitEdge> exits;
  llvm::SetVector<llvm::Value*> captured;       // defined outside, used inside
  llvm::SetVector<llvm::Instruction*> live_out; // defined inside, used outside
  llvm::SetVector<llvm::AllocaInst*> local;     // memory of one iteration: moves into the body

  bool contains(const llvm::Instruction* instruction) const {
    return blocks.contains(const_cast<llvm::BasicBlock*>(instruction->getParent()));
  }
};

// Brings the loop into the form that outlining needs (one preheader, one latch, exits of its own, landing
// pads cut off). Returns the code of the refusal if that cannot be done.
std::optional<llvm::StringRef> canonicalise_loop(llvm::BasicBlock& header);

// Describes the canonical loop with this header.
LoopRegion describe_region(llvm::BasicBlock& header, FunctionAnalyses& analyses);

} // namespace heddle
