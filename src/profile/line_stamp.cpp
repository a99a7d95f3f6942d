#include "profile/line_stamp.h"

#include "program/program.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"

namespace heddle {

namespace {

// A subprogram whose scope line, which the code generator gives to the prologue, is the entry block's.
llvm::DISubprogram* subprogram(llvm::DIBuilder& builder, llvm::DIFile* file, llvm::Function& function,
                               unsigned line) {
  auto* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  return builder.createFunction(file, function.getName(), function.getName(), file, line, type, line,
                                llvm::DINode::FlagZero,
                                llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
}

} // namespace

void stamp_blocks(llvm::Module& module) {
  BlockTable table(module);
  llvm::StripDebugInfo(module);
  // Stripping leaves the module flags; without the version flag the code generator ignores all locations.
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // Version 4, because it is what every reader (Valgrind 3.19 among them) understands.
  module.setModuleFlag(
      llvm::Module::Max, "Dwarf Version",
      llvm::ValueAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), 4)));

  llvm::DIBuilder builder(module);
  llvm::DIFile* file = builder.createFile("blocks", "/heddle");
  builder.createCompileUnit(llvm::dwarf::DW_LANG_C99, file, stamp_producer, /*isOptimized=*/true, "", 0, "",
                            llvm::DICompileUnit::LineTablesOnly);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::DISubprogram* scope = subprogram(builder, file, function, table.id(&function.getEntryBlock()) + 1);
    function.setSubprogram(scope);
    for (llvm::BasicBlock& block : function) {
      llvm::DILocation* location = llvm::DILocation::get(module.getContext(), table.id(&block) + 1, 0, scope);
      for (llvm::Instruction& instruction : block)
        instruction.setDebugLoc(location);
    }
  }
  builder.finalize();
}

} // namespace heddle
