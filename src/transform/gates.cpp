// Rare code is entered at blocks that the plan names: those with a way in from common code, and the first blocks
// of rare functions. Each begins with a call of heddle_alone(), which does nothing while staging is off or when
// the packet is alone already; it is given the place, for whoever asks where packets became alone (HEDDLE_REPORT, heddle top). It keeps the general registers (preserve_most), or the allocator would give those that
// an ordinary call changes to the rare path, and spill on the common one; vector registers are caller-saved
// as ever, because the runtime does not know how wide the program's are.
#include "transform/gates.h"

#include "program/modelled.h"
#include "transform/site.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

static Function& gate_function(Module& module, StringRef name) {
  if (Function* existing = module.getFunction(name)) return *existing;
  LLVMContext& context = module.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0)}, false);
  Function* function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->addFnAttr(Attribute::Cold);
  function->setCallingConv(CallingConv::PreserveMost);
  function->setDoesNotThrow();
  return *function;
}

// As a text of the program's.
static Constant* place_of(const Instruction& instruction, Module& module) {
  const std::string place =
      (source_name(*instruction.getFunction()) + " (" + location_of(instruction).str() + ")").str();
  Constant* data = ConstantDataArray::getString(module.getContext(), place);
  auto* text =
      new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "heddle.gate");
  text->setUnnamedAddr(GlobalValue::UnnamedAddr::Global); // the linker may join those that are the same
  return text;
}

void insert_gate(Instruction& before, Gate kind) {
  IRBuilder<> builder(&before);
  StringRef name = kind == Gate::RareCode ? "heddle_alone" : "heddle_leaving";
  Module& module = *before.getModule();
  CallInst* gate = builder.CreateCall(&gate_function(module, name), {place_of(before, module)});
  gate->setCallingConv(CallingConv::PreserveMost);
  gate->setDoesNotThrow();
  forget_conclusions(*before.getFunction());
}

Error insert_gates(Module& module, ArrayRef<BlockId> gates, const BlockTable& blocks) {
  for (BlockId id : gates) {
    auto* block = id < blocks.size() ? const_cast<BasicBlock*>(blocks.block(id)) : nullptr;
    if (!block || block->getParent()->getParent() != &module || block->isEHPad())
      return diagnose("block " + Twine(id) + " of the plan's gates cannot hold one",
                      "the plan does not fit this build: make it again with `heddle plan`");
    insert_gate(*block->getFirstInsertionPt(), Gate::RareCode);
  }
  return Error::success();
}

} // namespace heddle
