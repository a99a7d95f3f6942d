// What a session holds (session.h), for the files that work on it.
#pragma once

#include "specialize/bpf/attachment.h"
#include "specialize/bpf/compile.h"
#include "specialize/bpf/load.h"
#include "specialize/bpf/maps.h"
#include "specialize/bpf/object_file.h"
#include "specialize/bpf/session.h"
#include "specialize/bpf/version.h"
#include "specialize/bpf/watch.h"

#include "llvm/IR/LLVMContext.h"

#include <optional>

namespace heddle {

struct BpfSession::State {
  SpecializeOptions options;
  BpfObjectFile object;
  RunningProgram running;
  std::string function;
  // What the analysis is of: the program as clang optimised it.
  llvm::LLVMContext context;
  std::optional<BpfCompiler> compiler;
  std::vector<MapView> views;
  llvm::StringSet<> excluded; // maps whose lookups are not sampled
  PreparedPrograms prepared;
  llvm::StringSet<> disabled; // passes that the user left out, and those that the verifier refused

  Loading loading() const { return {object.bytes, object.path, function, -1}; }

  // Ids of the maps that may be specialized as far as the program goes.
  std::vector<uint32_t> candidates() const;

  // What a version would be made for; nothing if the tables are changing just now. `own`: the programs that are this one.
  // `last`, which may be empty, is used again as far as it holds.
  llvm::Expected<std::optional<Snapshot>> snapshot(const Watch& watch, const std::vector<uint32_t>& own,
                                                   const Sampler* sampler,
                                                   const std::optional<Snapshot>& last) const;
  llvm::Error read_tables(Snapshot& taken, const std::vector<uint32_t>& own) const;
  llvm::Error make_indexes(Snapshot& taken) const;
  llvm::Error read_hot_keys(Snapshot& taken, const Sampler& sampler) const;

  struct Loaded {
    Version version;
    RunningProgram program; // none where the version has no object
  };

  VersionReport report_on(const Loaded& loaded) const;

  // Makes and loads a version. What the verifier refuses is made again without one pass after another.
  llvm::Expected<Loaded> load(const Snapshot& snapshot, const Watch& watch, Sampler* sampler);

  // Nothing where sampling is switched off.
  llvm::Expected<std::optional<Sampler>> start_sampling() const;
};

} // namespace heddle
