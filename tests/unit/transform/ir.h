// Modules for tests: from text, or from C through clang; and programs made from them.
#pragma once

#include "plan/plan.h"
#include "program/program.h"
#include "support/file.h"
#include "support/process.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::test {

inline std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, llvm::StringRef text) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(llvm::MemoryBufferRef(text, "test"), problem, context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str();
  return module;
}

inline std::string valid(const llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream out(problems);
  llvm::verifyModule(module, &out);
  return problems;
}

inline std::string message(llvm::Error error) {
  std::string text;
  llvm::raw_string_ostream out(text);
  report(std::move(error), out);
  return text;
}

inline const llvm::BasicBlock* block_named(const llvm::Function& function, llvm::StringRef name) {
  for (const llvm::BasicBlock& block : function)
    if (block.getName() == name) return &block;
  return nullptr;
}

// A folder in which C becomes a module, and a module a program.
class Workshop {
public:
  Workshop() : folder_(llvm::cantFail(TemporaryFolder::create("heddle-test"))) {}

  std::unique_ptr<llvm::Module> compile(llvm::LLVMContext& context, llvm::StringRef source,
                                        std::vector<std::string> flags) {
    llvm::cantFail(write_file(folder_.file("in.c"), [&](llvm::raw_ostream& out) { out << source; }));
    flags.insert(flags.end(), {"-I" HEDDLE_SOURCE_DIR "/src", "-I" HEDDLE_SOURCE_DIR "/include", "-emit-llvm",
                               "-c", folder_.file("in.c"), "-o", folder_.file("in.bc")});
    EXPECT_TRUE(clang(flags));
    llvm::SMDiagnostic problem;
    return llvm::parseIRFile(folder_.file("in.bc"), problem, context);
  }

  // Links the module with the runtime, runs it with HEDDLE_BATCH=batch, and returns what it printed.
  std::string run(const llvm::Module& module, unsigned batch, std::vector<std::string> flags = {}) {
    llvm::cantFail(write_file(folder_.file("out.bc"),
                              [&](llvm::raw_ostream& out) { llvm::WriteBitcodeToFile(module, out); }));
    // The IR stays as it is; code generation optimises.
    flags.insert(flags.end(), {"-O2", "-Xclang", "-disable-llvm-passes", "-Wno-override-module",
                               folder_.file("out.bc"), HEDDLE_BINARY_DIR "/lib/heddle/libheddle_rt.a", "-lm",
                               "-pthread", "-o", folder_.file("program")});
    EXPECT_TRUE(clang(flags));
    ProcessOptions options;
    options.environment = {{"HEDDLE_BATCH", std::to_string(batch)}};
    options.stdout_path = folder_.file("printed");
    options.timeout_seconds = 60;
    auto ran = llvm::cantFail(run_process(folder_.file("program"), {}, options));
    EXPECT_EQ(ran.exit_status, 0);
    return llvm::cantFail(read_file(folder_.file("printed")))->getBuffer().str();
  }

private:
  static bool clang(const std::vector<std::string>& flags) {
    return llvm::cantFail(run_process(HEDDLE_LLVM_BIN "/clang", flags)).ok();
  }

  TemporaryFolder folder_;
};

// A plan for `body` with no context but the body itself.
inline BodyPlan plan_for(llvm::StringRef body) {
  BodyPlan plan;
  plan.body = body.str();
  plan.contexts.resize(1);
  plan.contexts[0].function = plan.body;
  return plan;
}

inline PlannedSite site(uint32_t context, uint32_t from, uint32_t to, unsigned stage) {
  PlannedSite site;
  site.context = context;
  site.from = from;
  site.to = to;
  site.stage = stage;
  return site;
}

} // namespace heddle::test
