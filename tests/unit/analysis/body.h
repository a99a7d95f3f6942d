// A hand-written packet body in C, prepared as src/program leaves it: `heddle.body.0` by asm label.
#pragma once

#include "analysis/analyse.h"
#include "program/claims.h"
#include "program/pipeline.h"
#include "support/file.h"
#include "support/process.h"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

namespace heddle {

inline const char* body_prelude = R"(
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int body(void *env) __asm__("heddle.body.0");
int heddle_run_loop(int (*)(void *), void *, int64_t);
#define NOINLINE __attribute__((noinline))
)";

// A packet loop over an array, as outlining leaves it; the test's source defines body(), which begins with OWN.
inline const std::string packet_loop = R"(
struct packet { uint32_t length, out; };
struct frame { uint64_t index, count; struct packet **packets; };
int main(int argc, char **argv) {
  struct packet *packets[8];
  for (int i = 0; i < 8; i++) packets[i] = malloc(sizeof(struct packet));
  struct frame frame = { 0, argc, packets };
  return heddle_run_loop((int (*)(void *))body, &frame, -1);
}
#define OWN struct frame *f = env; uint64_t i = f->index; f->index = i + 1; \
            if (i >= f->count) return 1; struct packet *p = f->packets[i];
)";

// `source` defines body(); a main that calls heddle_run_loop(body, &frame, -1) is up to the source. `calls`: functions
// that are declared, and so stay calls.
inline Program program_of(const std::string& source, llvm::ArrayRef<std::string> calls = {}) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-test"));
  llvm::cantFail(write_file(folder.file("p.c"), [&](llvm::raw_ostream& out) {
    out << body_prelude << "#line 1 \"p.c\"\n" << source;
  }));
  ProcessResult compiled = llvm::cantFail(run_process(
      HEDDLE_LLVM_BIN "/clang", {"-O2", "-g", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c",
                                 folder.file("p.c"), "-o", folder.file("p.bc")}));
  EXPECT_EQ(compiled.exit_status, 0);
  Program program;
  program.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  program.module = llvm::parseIRFile(folder.file("p.bc"), problem, *program.context);
  auto machine = llvm::cantFail(target_machine(*program.module));
  make_readable(*program.module, *machine, calls);
  llvm::cantFail(insert_claims(*program.module, {}));
  optimise(*program.module, *machine, 2);
  split_after_calls(*program.module);
  PacketBody body;
  body.receive = ReceiveKind::UserNamed;
  body.body = program.module->getFunction("heddle.body.0");
  EXPECT_NE(body.body, nullptr);
  program.bodies.push_back(body);
  return program;
}

inline CutGraph graph_of(const Program& program, std::vector<std::string> without = {}) {
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  for (const std::string& name : without)
    options.locations.without.insert(name);
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  return std::move(analysis.graphs.front());
}

// The verdict on the one location whose name contains `name`; "" when there is none.
inline std::string verdict_on(const CutGraph& graph, llvm::StringRef name) {
  std::string verdict;
  for (const SharedLocation& location : graph.locations)
    if (llvm::StringRef(location.name).contains(name)) {
      EXPECT_TRUE(verdict.empty() || verdict == location.verdict)
          << location.name << ": " << location.verdict;
      verdict = location.verdict;
    }
  return verdict;
}

} // namespace heddle
