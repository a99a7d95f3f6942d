// Helpers of this room's tests: modules from C source, and the programs built of them.
#pragma once

#include "program/program.h"
#include "support/file.h"
#include "support/process.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

// Runs a tool of LLVM; the test fails when the tool does.
inline void tool(const std::string& name, const std::vector<std::string>& args) {
  auto result = run_process(HEDDLE_LLVM_BIN "/" + name, args);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->exit_status, 0) << name;
}

// What prepare() would give, made by hand: C source with functions called heddle.body.N by an asm label.
class Code {
public:
  explicit Code(const std::string& source, const std::vector<std::string>& flags = {"-O2"})
      : folder_(llvm::cantFail(TemporaryFolder::create("heddle-test"))) {
    std::string c = file("code.c"), bitcode = file("code.bc");
    llvm::cantFail(write_file(c, [&](llvm::raw_ostream& out) { out << source; }));
    std::vector<std::string> args = flags;
    args.insert(args.end(), {"-fPIC", "-emit-llvm", "-c", c, "-o", bitcode});
    tool("clang", args);
    auto buffer = llvm::cantFail(read_file(bitcode));
    module = llvm::cantFail(llvm::parseBitcodeFile(buffer->getMemBufferRef(), context_));
  }

  // As prepare() leaves it: a call ends its block.
  void split_after_calls() {
    for (llvm::Function& function : *module)
      for (llvm::BasicBlock& block : function) // SplitBlock's new block comes next
        for (llvm::Instruction& instruction : block) {
          if (!llvm::isa<llvm::CallInst>(instruction) || llvm::isa<llvm::IntrinsicInst>(instruction))
            continue;
          llvm::Instruction* next = instruction.getNextNode();
          if (llvm::cast<llvm::CallInst>(instruction).isMustTailCall() || next->isTerminator()) continue;
          llvm::SplitBlock(&block, next);
          break;
        }
  }

  std::string file(llvm::StringRef name) const { return folder_.file(name); }

  // Generates code as emit_object() does, without optimising the IR again.
  std::string object(llvm::Module& m, const std::string& name) const {
    std::string bitcode = file(name + ".bc"), path = file(name + ".o");
    llvm::cantFail(write_file(bitcode, [&](llvm::raw_ostream& out) { llvm::WriteBitcodeToFile(m, out); }));
    tool("llc", {"-O2", "-relocation-model=pic", "-filetype=obj", bitcode, "-o", path});
    return path;
  }

  std::string program(llvm::Module& m, const std::string& name, std::vector<std::string> extra = {}) const {
    std::string path = file(name);
    extra.insert(extra.begin(), object(m, name));
    extra.insert(extra.end(), {"-o", path});
    tool("clang", extra);
    return path;
  }

private:
  llvm::LLVMContext context_; // outlives the module
  TemporaryFolder folder_;

public:
  std::unique_ptr<llvm::Module> module;
};

} // namespace heddle::test
