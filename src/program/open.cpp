#include "program/open.h"

#include "program/claims.h"
#include "program/expensive.h"
#include "program/peel.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"

using namespace llvm;

namespace heddle {
namespace {

// The call through a pointer that ends the block; null if there is none.
CallInst* pointer_call(const BasicBlock& block) {
  auto* call = dyn_cast_or_null<CallInst>(ending_call(const_cast<BasicBlock&>(block)));
  if (call == nullptr || call->isInlineAsm() || call->getCalledFunction() || call->isMustTailCall())
    return nullptr;
  return isa<Function>(call->getCalledOperand()->stripPointerCasts()) ? nullptr : call;
}

Error misfit(const Twine& what, StringRef where) {
  return diagnose(what, "the plan's openings do not fit this build: make it again with `heddle plan`", where);
}

class Opener {
public:
  explicit Opener(Program& program) : module_(*program.module), before_(module_) {
    for (BlockId id = 0; id != before_.size(); ++id)
      origin_[before_.block(id)] = id;
  }

  Expected<std::vector<BlockId>> run(const Openings& openings) {
    // Blocks keep their numbers as long as only their ends move.
    std::vector<MemoryRead> reads;
    for (const OpenedLoad& opened : openings.loads) {
      auto read = find(opened);
      if (!read) return read.takeError();
      reads.push_back(*read);
    }
    for (size_t i = reads.size(); i-- > 0;) // the last of a block first
      open(reads[i], *before_.block(openings.loads[i].block), unsigned(i));
    for (const OpenedCall& call : openings.calls)
      if (Error error = open(call)) return std::move(error);
    for (const OpenedLoop& loop : openings.loops)
      if (Error error = open(loop)) return std::move(error);
    if (Error error = open(openings.claims)) return std::move(error);
    std::string problem;
    raw_string_ostream out(problem);
    if (verifyModule(module_, &out))
      return diagnose("opening made code that LLVM's verifier rejects: " + problem,
                      "this is an error in Heddle: report it with the plan");
    BlockTable after(module_);
    std::vector<BlockId> result;
    for (BlockId id = 0; id != after.size(); ++id) {
      auto found = origin_.find(after.block(id));
      result.push_back(found == origin_.end() ? no_block : found->second);
    }
    return result;
  }

private:
  Expected<MemoryRead> find(const OpenedLoad& opened) const {
    if (opened.block >= before_.size()) return misfit("there is no block " + Twine(opened.block), opened.at);
    const auto reads = reads_of(*before_.block(opened.block));
    if (opened.number >= reads.size())
      return misfit("block " + Twine(opened.block) + " has no load " + Twine(opened.number), opened.at);
    return reads[opened.number];
  }

  void open(const MemoryRead& read, const BasicBlock& block, unsigned which) {
    const BasicBlock* holder =
        read.by->getParent(); // not the block, if the same call reads more that was opened
    const BasicBlock* behind = mark_expensive(read, which);
    const BasicBlock*& last = last_part_[&block];
    if (!last || last == holder) last = behind;
  }

  // Where a block's own end is, after its loads were opened.
  const BasicBlock& end_of(const BasicBlock& block) const {
    auto last = last_part_.find(&block);
    return last == last_part_.end() ? block : *last->second;
  }

  Error open(const OpenedCall& opened) {
    if (opened.block >= before_.size()) return misfit("there is no block " + Twine(opened.block), opened.at);
    const BasicBlock& block = end_of(*before_.block(opened.block));
    for (const std::string& name : opened.targets) {
      Function* target = module_.getFunction(name);
      if (target == nullptr) return misfit("there is no function " + name, opened.at);
      // The call that is left is in a block of its own after the first comparison.
      auto* call = &block == last_block_ ? last_call_ : pointer_call(block);
      if (call == nullptr || !can_promote(*call, *target))
        return misfit("block " + Twine(opened.block) + " ends with no call that could be made to " + name,
                      opened.at);
      promoteCallWithIfThenElse(*call, target);
      last_block_ = &block;
      last_call_ = call;
    }
    return Error::success();
  }

  Error open(const OpenedLoop& opened) {
    if (opened.header >= before_.size())
      return misfit("there is no block " + Twine(opened.header), opened.at);
    auto& header = *const_cast<BasicBlock*>(before_.block(opened.header));
    for (uint32_t i = 0; i != opened.iterations; ++i) {
      bool done =
          peel_once(*header.getParent(), header, [&](const BasicBlock& block, const BasicBlock& copy) {
            if (auto found = origin_.find(&block); found != origin_.end()) {
              BlockId of = found->second;
              origin_[&copy] = of;
            }
          });
      if (!done)
        return misfit("block " + Twine(opened.header) + " heads no loop that can be copied", opened.at);
    }
    return Error::success();
  }

  Error open(ArrayRef<OpenedClaim> claims) {
    const BlockTable opened(module_);
    const unsigned first_key = next_claim_number(module_);
    std::vector<Instruction*> values;
    for (const OpenedClaim& claim : claims) {
      if (claim.key < first_key || claim.key > most_keys)
        return misfit("key " + Twine(claim.key) + " is a declared one's, or above " + Twine(most_keys),
                      claim.at);
      const BasicBlock* block = claim.block < opened.size() ? opened.block(claim.block) : nullptr;
      Instruction* value = nullptr;
      if (block && claim.instruction < block->size())
        value = &*std::next(const_cast<BasicBlock*>(block)->begin(), claim.instruction);
      if (!value || !can_be_claimed(*value))
        return misfit("block " + Twine(claim.block) + " has no pointer that could be a key as instruction " +
                          Twine(claim.instruction),
                      claim.at);
      values.push_back(value);
    }
    for (size_t i = 0; i != claims.size(); ++i)
      claim_value(*values[i], claims[i].key, claims[i].fresh);
    return Error::success();
  }

public:
  static bool can_promote(const CallInst& call, const Function& target) {
    return !target.isDeclaration() && call.getFunctionType() == target.getFunctionType() &&
           isLegalToPromote(call, const_cast<Function*>(&target));
  }

private:
  Module& module_;
  BlockTable before_;
  DenseMap<const BasicBlock*, BlockId> origin_;
  DenseMap<const BasicBlock*, const BasicBlock*> last_part_; // of blocks with opened loads
  const BasicBlock* last_block_ = nullptr;
  CallInst* last_call_ = nullptr;
};

} // namespace

bool can_open_call(const BasicBlock& block, const Function& target) {
  const CallInst* call = pointer_call(block);
  return call != nullptr && Opener::can_promote(*call, target);
}

bool can_open_loop(const Loop& loop) {
  return can_peel(loop);
}

Expected<std::vector<BlockId>> open_program(Program& program, const Openings& openings) {
  return Opener(program).run(openings);
}

} // namespace heddle
