// What a session holds (session.h), for the files that work on it.
#pragma once

#include "specialize/bpf/attachment.h"
#include "specialize/bpf/compile.h"
#include "specialize/bpf/load.h"
#include "specialize/bpf/maps.h"
#include "specialize/bpf/object_file.h"
#include "specialize/bpf/session.h"

#include "llvm/IR/LLVMContext.h"

namespace heddle {

struct BpfSession::State {
  SpecializeOptions options;
  BpfObjectFile object;
  RunningProgram running;
  std::string function;
  llvm::LLVMContext context;

  Loading loading() const { return {object.bytes, object.path, function, -1}; }
};

} // namespace heddle
