#include "specialize/bpf/prepared.h"

#include "specialize/bpf/compile.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle {

using namespace llvm;

namespace {

// What the loader set before it froze the section is a constant by now.
unsigned fold_frozen(Module& module, const DataSections& sections, const StringMap<std::string>& frozen) {
  const DataLayout& layout = module.getDataLayout();
  unsigned folded = 0;
  for (const auto& [section, data] : sections) {
    auto bytes = frozen.find(section);
    if (bytes == frozen.end()) continue;
    for (const auto& variable : data.variables) {
      GlobalVariable* global = module.getGlobalVariable(variable.getKey(), /*AllowInternal=*/true);
      if (!global || !global->isConstant()) continue;
      SmallVector<LoadInst*, 8> loads;
      for (User* user : global->users())
        if (auto* load = dyn_cast<LoadInst>(user)) loads.push_back(load);
      for (LoadInst* load : loads) {
        size_t size = layout.getTypeStoreSize(load->getType());
        if (!load->getType()->isIntegerTy() || variable.getValue() + size > bytes->second.size()) continue;
        StringRef stored = StringRef(bytes->second).substr(variable.getValue(), size);
        Constant* whole = ConstantDataArray::getString(module.getContext(), stored, /*AddNull=*/false);
        Constant* value = ConstantFoldLoadFromConst(whole, load->getType(), layout);
        if (!value) continue;
        load->replaceAllUsesWith(value);
        load->eraseFromParent();
        ++folded;
      }
    }
  }
  return folded;
}

// Global variables stay where they are in the running program, whatever becomes of their uses.
void keep_variables(Module& module) {
  SmallVector<GlobalValue*, 16> kept;
  for (GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm.") &&
        !variable.hasPrivateLinkage())
      kept.push_back(&variable);
  appendToCompilerUsed(module, kept);
}

// Names of variables in registers: nobody debugs a version, and each pass would have to keep them right.
void drop_variables(Module& module) {
  for (Function& function : module)
    for (Instruction& instruction : make_early_inc_range(instructions(function))) {
      instruction.dropDbgRecords();
      if (isa<DbgVariableIntrinsic>(instruction)) instruction.eraseFromParent();
    }
}

bool same(const StringMap<std::string>& one, const StringMap<std::string>& other) {
  return one.size() == other.size() &&
         all_of(one, [&](const auto& section) { return other.lookup(section.first()) == section.second; });
}

} // namespace

Expected<const Prepared*> PreparedPrograms::get(const BpfObjectFile& object, const DataSections& sections,
                                                const StringMap<std::string>& frozen) {
  if (last_ && same(frozen_, frozen)) return &*last_;
  LLVMContext context;
  auto compiler = BpfCompiler::open(object.bitcode, context, object.path);
  if (!compiler) return compiler.takeError();
  Module& module = compiler->module();
  drop_variables(module);
  compiler->optimize();
  Prepared made;
  keep_variables(module);
  for (const GlobalVariable& variable : module.globals())
    made.variables.insert(variable.getName());
  made.folded = fold_frozen(module, sections, frozen);
  if (made.folded != 0) compiler->optimize_again();
  raw_string_ostream out(made.bitcode);
  WriteBitcodeToFile(module, out, /*ShouldPreserveUseListOrder=*/true);
  out.flush();
  frozen_ = frozen;
  last_ = std::move(made);
  return &*last_;
}

} // namespace heddle
