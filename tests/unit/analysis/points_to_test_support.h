// Compiles C text with clang and runs the points-to analysis on it; finds things by name.
#pragma once

#include "analysis/points_to.h"
#include "support/file.h"
#include "support/process.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <set>

namespace heddle::test {

struct Analysed {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<PointsTo> points_to;

  const llvm::Function& function(llvm::StringRef name) const { return *module->getFunction(name); }

  // Names of the objects that the pointer operand of the only call of `marker` may point to.
  std::set<std::string> pointees(llvm::StringRef marker) const {
    std::set<std::string> names;
    for (ObjectId object : points_to->objects_pointed_to(call_of(marker).getArgOperand(0)))
      names.insert(name_of(points_to->objects()[object]));
    return names;
  }
  const llvm::CallBase& call_of(llvm::StringRef marker) const {
    for (const llvm::User* user : module->getFunction(marker)->users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) return *call;
    llvm_unreachable("no call of the marker");
  }
  // Names of all functions that indirect calls in `name` may run.
  std::set<std::string> targets_in(llvm::StringRef name) const {
    std::set<std::string> names;
    for (const llvm::Instruction& instruction : llvm::instructions(function(name)))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isIndirectCall())
        for (const llvm::Function* callee : points_to->callees(*call))
          names.insert(callee->getName().str());
    return names;
  }
};

// `text` defines main; SEE(p) marks a pointer whose pointees a test asks for, by the names s1, s2, ...
inline std::unique_ptr<Analysed> analyse(const std::string& text, const PointsToOptions& options = {},
                                         const std::string& suffix = ".c") {
  auto folder = llvm::cantFail(TemporaryFolder::create("points-to"));
  std::string source = folder.file("test" + suffix), output = folder.file("test.bc");
  llvm::cantFail(write_file(source, [&](llvm::raw_ostream& out) { out << text; }));
  std::vector<std::string> args = {"-O1", "-g", "-fno-inline", "-emit-llvm", "-c", source, "-o", output};
  auto ran = llvm::cantFail(run_process(HEDDLE_LLVM_BIN "/clang", args));
  EXPECT_TRUE(ran.ok());
  auto result = std::make_unique<Analysed>();
  llvm::SMDiagnostic problem;
  result->module = llvm::parseIRFile(output, problem, result->context);
  result->points_to = PointsTo::run(*result->module, options);
  return result;
}

using Names = std::set<std::string>;

} // namespace heddle::test
