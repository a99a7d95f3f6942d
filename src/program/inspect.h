// What `heddle inspect` tells of a prepared program.
#pragma once

#include "program/program.h"

#include "llvm/IR/InstrTypes.h"

#include <functional>
#include <optional>

namespace heddle {

struct IndirectCall {
  SourceLocation at;
  std::string function; // that holds the call
  unsigned targets = 0;
};

struct BodyReport {
  unsigned number = 0;
  std::string receive, function;
  SourceLocation receive_at, loop_at;
  size_t functions = 0;    // reachable from the body, without external ones
  size_t instructions = 0; // IR instructions in them
  uint64_t code_bytes = 0; // of their machine code, 0 if not known
  std::vector<IndirectCall> indirect_calls;
};

struct Inspection {
  std::vector<BodyReport> bodies;
  std::vector<Remark> remarks;
};

// Knowledge of the rooms above. Without `targets` indirect calls lead nowhere; without `code_bytes` sizes are
// 0.
struct InspectSources {
  std::function<std::vector<const llvm::Function*>(const llvm::CallBase&)> targets;
  std::function<uint64_t(const llvm::Function&)> code_bytes;
};

Inspection inspect(const Program& program, const InspectSources& sources = {});

// Bytes of each function's machine code, read from an object file's symbol table (as emit_object writes it).
llvm::Expected<std::function<uint64_t(const llvm::Function&)>> code_bytes_of(llvm::StringRef object_path);

void print_text(const Inspection& inspection, llvm::raw_ostream& out);
void print_json(const Inspection& inspection, llvm::raw_ostream& out);

} // namespace heddle
