#include "specialize/bpf/linked_code.h"

#include "support/diagnostic.h"
#include "support/installed.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle {

using namespace llvm;

namespace {

Error broken(const Twine& why) {
  return diagnose("cannot be read: " + why,
                  "build Heddle again, or set HEDDLE_LIB to where its libraries are",
                  installed_file("heddle-linked.bpf.bc"));
}

// Read once: Heddle may be installed anew while versions are made.
Expected<MemoryBufferRef> linked_bitcode() {
  static std::unique_ptr<MemoryBuffer> bitcode;
  if (!bitcode) {
    auto file = MemoryBuffer::getFile(installed_file("heddle-linked.bpf.bc"));
    if (!file) return broken(file.getError().message());
    bitcode = MemoryBuffer::getMemBufferCopy((*file)->getBuffer(), (*file)->getBufferIdentifier());
  }
  return bitcode->getMemBufferRef();
}

} // namespace

Expected<LinkedCode> LinkedCode::link(Function& function, OwnMaps& own) {
  auto bitcode = linked_bitcode();
  if (!bitcode) return bitcode.takeError();
  LinkedCode code;
  code.module_ = function.getParent();
  code.own_ = &own;
  auto linked = parseBitcodeFile(*bitcode, function.getContext());
  if (!linked) return broken(toString(linked.takeError()));
  SmallVector<std::string, 4> names;
  for (const Function& part : **linked)
    if (!part.isDeclaration()) names.push_back(part.getName().str());
  (*linked)->setTargetTriple(code.module_->getTargetTriple());
  (*linked)->setDataLayout(code.module_->getDataLayout());
  if (Linker::linkModules(*code.module_, std::move(*linked)))
    return broken("it does not fit the program's module");
  for (const std::string& name : names) {
    Function* part = code.module_->getFunction(name);
    part->setLinkage(GlobalValue::InternalLinkage);
    part->setAttributes(part->getAttributes().removeFnAttributes(function.getContext()));
    part->addFnAttr(Attribute::AlwaysInline);
  }
  IRBuilder<> entry(&*function.getEntryBlock().begin());
  code.sampled_ = entry.CreateAlloca(entry.getInt1Ty(), nullptr, "sampled");
  return code;
}

CallInst* LinkedCode::call(IRBuilder<>& builder, const char* name, ArrayRef<Value*> arguments) const {
  return builder.CreateCall(module_->getFunction(name), arguments);
}

// A place before the lookup that only sampled packets come to.
IRBuilder<> LinkedCode::if_sampled(CallInst& lookup) {
  IRBuilder<> builder(&lookup);
  Value* sampled = builder.CreateLoad(builder.getInt1Ty(), sampled_);
  return IRBuilder<>(SplitBlockAndInsertIfThen(sampled, &lookup, /*Unreachable=*/false));
}

void LinkedCode::record(CallInst& lookup, const Descriptor& sketch) {
  IRBuilder<> builder = if_sampled(lookup);
  call(builder, "heddle_record", {own_->map(builder, sketch.get()), lookup.getArgOperand(1)});
}

void LinkedCode::count(CallInst& lookup, const Sampler::Reached& site) {
  IRBuilder<> builder = if_sampled(lookup);
  builder.CreateAtomicRMW(AtomicRMWInst::Add, own_->value(builder, site.counter.get()), builder.getInt64(1),
                          Align(8), AtomicOrdering::Monotonic);
}

void LinkedCode::count_one(IRBuilder<>& builder, const Descriptor& counter) const {
  call(builder, "heddle_count", {own_->map(builder, counter.get())});
}

Value* LinkedCode::wants_sample(IRBuilder<>& builder, const Sampler& sampler) const {
  return builder.CreateIsNotNull(call(
      builder, "heddle_sample", {own_->map(builder, sampler.gaps()), own_->map(builder, sampler.mean())}));
}

void LinkedCode::find_in_index(CallInst& lookup, const IndexMaps& maps) const {
  const Index& index = maps.index;
  IRBuilder<> builder(&lookup);
  Value* key = lookup.getArgOperand(1);
  auto find = [&](const char* name, std::initializer_list<Value*> more) {
    SmallVector<Value*, 10> arguments{
        own_->value(builder, maps.nodes.get()),  builder.getInt32(maps.node_count),
        own_->value(builder, maps.values.get()), builder.getInt32(maps.value_count),
        builder.getInt32(maps.value_stride),     key};
    llvm::append_range(arguments, more);
    return call(builder, name, arguments);
  };
  if (index.hashed) {
    getOrEnforceKnownAlignment(key, Align(8), module_->getDataLayout(), &lookup);
    lookup.replaceAllUsesWith(
        find("heddle_find_hashed",
             {builder.getInt32(maps.key_bytes), builder.getInt64(index.seed),
              builder.getInt32(Log2_32(maps.node_count)), builder.getInt32(Log2_32(maps.value_count))}));
    lookup.eraseFromParent();
    return;
  }
  if (index.kind == TableKind::Exact) {
    lookup.replaceAllUsesWith(
        find("heddle_find_number", {builder.getInt32(maps.key_bytes), builder.getInt32(index.swapped),
                                    builder.getInt32(index.least)}));
    lookup.eraseFromParent();
    return;
  }
  // One compare for both bounds: least_bits <= bits <= those of an address.
  Value* bits = builder.CreateFreeze(builder.CreateAlignedLoad(builder.getInt32Ty(), key, Align(1)));
  Value* over = builder.CreateSub(bits, builder.getInt32(index.least_bits));
  uint32_t most_over = (maps.key_bytes - 4) * 8 - index.least_bits;
  Value* complete = builder.CreateICmpULE(over, builder.getInt32(most_over));
  Instruction *then = nullptr, *otherwise = nullptr;
  BasicBlock::iterator behind = std::next(lookup.getIterator());
  SplitBlockAndInsertIfThenElse(complete, behind, &then, &otherwise);
  builder.SetInsertPoint(then);
  Value* found = find("heddle_find_prefix", {builder.getInt32(index.levels)});
  lookup.moveBefore(otherwise);
  auto* either = PHINode::Create(lookup.getType(), 2, "found", then->getSuccessor(0)->begin());
  lookup.replaceAllUsesWith(either);
  either->addIncoming(found, then->getParent());
  either->addIncoming(&lookup, otherwise->getParent());
}

} // namespace heddle
