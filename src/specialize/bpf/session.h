// One running program that is to be specialized: found, matched with its object, analysed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

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
  double period_seconds = 1;         // between looks at the tables; 0: only the first
};

class BpfSession {
public:
  // Finds the program, and makes sure that the object is the one that runs.
  static llvm::Expected<BpfSession> open(const SpecializeOptions& options);
  BpfSession(BpfSession&&) noexcept;
  ~BpfSession();

  // The program, its maps, what its data plane does to each, and which are left alone and why.
  void print_analysis(llvm::raw_ostream& out);

  // Makes a version for what the tables hold now, and prints what it would do; nothing is attached.
  llvm::Error print_version(llvm::raw_ostream& out);

  // Specializes the program until it is interrupted, or somebody else replaces it; a line to `out` for each version. The
  // original is back in place afterwards.
  llvm::Error run(llvm::raw_ostream& out);

private:
  struct State;
  explicit BpfSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace heddle
