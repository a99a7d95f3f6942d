// What a session holds (session.h), for the files that work on it.
#pragma once

#include "specialize/bpf/attachment.h"
#include "specialize/bpf/compile.h"
#include "specialize/bpf/load.h"
#include "specialize/bpf/maps.h"
#include "specialize/bpf/object_file.h"
#include "specialize/bpf/session.h"
#include "specialize/bpf/stopwatch.h"
#include "specialize/bpf/version.h"
#include "specialize/bpf/watch.h"
#include "specialize/cost.h"

#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <optional>

namespace heddle {

// What goes on without what has failed: `so` is what follows from that.
Remark remark_of(const char* code, const char* so, llvm::Error why);

// What the programs of a chain are made from.
struct ChainSource {
  SpecializeOptions options;
  BpfObjectFile object;
  // What the analysis is of: the object's programs as clang optimised them.
  llvm::LLVMContext context;
  std::optional<BpfCompiler> compiler;
  llvm::StringSet<> excluded; // maps whose lookups are not sampled
  HostCosts costs;
};

// One program of the chain.
struct ChainProgram {
  ChainProgram(const ChainSource& source, RunningProgram running)
      : source(source), running(std::move(running)) {}

  const ChainSource& source;
  RunningProgram running;
  std::string function;
  std::vector<MapView> views;
  PreparedPrograms prepared;
  LastCode last_code;
  Descriptor missed;          // counts packets that met other tables than their version was made for
  llvm::StringSet<> disabled; // passes that the user left out, and those that the verifier refused
  // Of a program that tail calls lead to: where it stands.
  struct Element {
    uint32_t map, key;
  };
  std::optional<Element> element;
  std::vector<Remark> remarks; // of the chain behind it

  // Of the program that runs, once it is clear which one of the object it is, and that it is the very same.
  static llvm::Expected<std::unique_ptr<ChainProgram>> open(ChainSource& source, RunningProgram running);

  Loading loading() const { return {source.object.bytes, source.object.path, function, -1}; }

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
  llvm::Expected<Loaded> load(const Snapshot& snapshot, const Watch& watch, Sampler* sampler,
                              Stopwatch& stopwatch);

  // Nothing where sampling is switched off.
  llvm::Expected<std::optional<Sampler>> start_sampling() const;
};

struct BpfSession::State {
  ChainSource source;
  std::vector<std::unique_ptr<ChainProgram>> programs; // the entry first

  // What lookups cost here, where that can be measured.
  void learn_costs();

  // Adds the programs that tail calls lead to.
  llvm::Error follow_tail_calls();
  // The program there, or null, and a remark on the caller.
  llvm::Expected<std::unique_ptr<ChainProgram>> open_behind(ChainProgram& caller, const RunningMap& array,
                                                            ArrayElement element);

  std::vector<uint32_t> ids() const; // of the programs
  // Maps that may be specialized as far as the programs go.
  std::vector<uint32_t> candidates() const;
};

} // namespace heddle
