// One running program that is to be specialized, with those that its tail calls lead to: found, matched with their object, analysed.
#pragma once

#include "specialize/bpf/live.h"
#include "specialize/bpf/pins.h"
#include "specialize/bpf/report.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

// Which program: exactly one of these is given.
struct ProgramChoice {
  uint32_t id = 0;
  std::string pin, interface;
};

// In the order in which they run.
std::vector<std::string> specialize_pass_names();

struct SpecializeOptions {
  ProgramChoice program;
  std::string object;                // the file that it was loaded from
  std::vector<std::string> disabled; // passes left out, by name
  double period_seconds = 0.15;      // between looks at the tables and the traffic; 0: only the first
  double sampling_percent = 1;       // of the packets, at most; 0: none
  double cpu_percent = 5;            // of one processor, for making versions
  uint64_t most_ways = 4096;         // through a version's compares, which the verifier follows
  std::vector<std::string> excluded; // maps whose lookups are not sampled, by name
  std::string bpf_file_system = usual_bpf_file_system; // where pins are kept
  bool measure_costs = true;                           // of lookups on this machine; else built-in figures
};

class BpfSession {
public:
  // Finds the program, and makes sure that the object is the one that runs. `restored`: where an original was put back before (pins.h).
  static llvm::Expected<BpfSession> open(const SpecializeOptions& options,
                                         llvm::ArrayRef<std::string> restored = {});
  BpfSession(BpfSession&&) noexcept;
  ~BpfSession();

  // The program, its maps, what its data plane does to each, and which are left alone and why. Behind it those that its tail calls
  // lead to, as far as they are of the same object.
  llvm::Expected<std::vector<AnalysisReport>> analysis() const;

  // Makes a version of each, in the same order, for what the tables hold now; nothing is attached.
  llvm::Expected<std::vector<VersionReport>> try_versions();

  // Specializes the programs until it is interrupted, or somebody else replaces one, or `look` fails; tells of each version, and
  // of each look once there is one. The originals are back in place afterwards.
  llvm::Error run(llvm::function_ref<void(const VersionReport&)> tell,
                  llvm::function_ref<llvm::Error(llvm::ArrayRef<LiveReport>)> look);

private:
  struct State;
  explicit BpfSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace heddle
