#include "transform/shared_values.h"

#include "transform/wait_marks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace llvm;

namespace heddle {

// Loads of one value, at an offset of the environment.
using Captured = std::map<std::pair<int64_t, Type*>, SmallVector<LoadInst*, 4>>;

void share_captured(AllocaInst& env, BasicBlock& entry) {
  const DataLayout& layout = env.getDataLayout();
  Captured loads;
  SmallVector<std::pair<int64_t, int64_t>, 8> written;
  SmallVector<std::pair<Value*, int64_t>, 16> work{{&env, 0}};
  for (size_t i = 0; i != work.size(); ++i) {
    auto [pointer, offset] = work[i];
    for (User* user : pointer->users()) {
      APInt step(64, 0);
      if (auto* gep = dyn_cast<GetElementPtrInst>(user); gep && gep->accumulateConstantOffset(layout, step)) {
        gep->moveBefore(entry, entry.end());
        work.push_back({gep, offset + step.getSExtValue()});
      } else if (auto* load = dyn_cast<LoadInst>(user); load && load->isSimple()) {
        loads[{offset, load->getType()}].push_back(load);
      } else if (auto* store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == pointer) {
        written.push_back(
            {offset, offset + int64_t(layout.getTypeStoreSize(store->getValueOperand()->getType()))});
      } else if (cast<Instruction>(user)->getParent() != &entry) {
        return; // it is handed on: leave all of it in memory
      }
    }
  }
  IRBuilder<> builder(&entry);
  for (auto& [place, same] : loads) {
    const auto [begin, type] = place;
    const int64_t end = begin + int64_t(layout.getTypeStoreSize(type));
    if (any_of(written, [&, first = begin](auto range) { return range.first < end && first < range.second; }))
      continue;
    Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &env, uint64_t(begin));
    LoadInst* once = builder.CreateAlignedLoad(type, address, same.front()->getAlign(), "captured");
    for (LoadInst* load : same) {
      load->replaceAllUsesWith(once);
      load->eraseFromParent();
    }
  }
}

// A place to wait is a call of nothing.
static bool may_write(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call && call->mayWriteToMemory() && call->getIntrinsicID() != Intrinsic::prefetch &&
         !is_wait(instruction);
}

void share_globals(Function& run, BasicBlock& entry) {
  Module& module = *run.getParent();
  auto writes = [&](const Instruction& instruction) {
    return instruction.getParent() != &entry && may_write(instruction);
  };
  if (any_of(instructions(run), writes)) return;
  for (GlobalVariable& variable : module.globals()) {
    if (!variable.hasLocalLinkage() || variable.isThreadLocal()) continue;
    SmallVector<LoadInst*, 8> loads;
    const bool simple = all_of(variable.users(), [&](User* user) {
      auto* store = dyn_cast<StoreInst>(user);
      auto* load = dyn_cast<LoadInst>(user);
      if (load && load->getFunction() == &run) loads.push_back(load);
      return (store && store->getPointerOperand() == &variable && store->getFunction() != &run) ||
             (load && load->isSimple());
    });
    if (!simple) continue;
    std::map<Type*, LoadInst*> shared;
    for (LoadInst* load : loads) {
      LoadInst*& once = shared[load->getType()];
      if (!once) {
        once = cast<LoadInst>(load->clone());
        // What is known of the value is known where a packet comes by.
        once->dropUnknownNonDebugMetadata(LLVMContext::MD_tbaa);
        once->setName("shared");
        once->insertInto(&entry, entry.end());
      }
      load->replaceAllUsesWith(once);
      load->eraseFromParent();
    }
  }
}

} // namespace heddle
