// Loading another version of a running program, on the same maps.
#pragma once

#include "specialize/bpf/running.h"

namespace heddle {

// The sections that a version has of its own: constants, and the variable its guards read (see version.h).
inline constexpr const char* constants_section = ".rodata.heddle";
inline constexpr const char* guard_section = ".data.heddle";

struct Loading {
  llvm::StringRef object;   // bytes of an eBPF object file
  llvm::StringRef where;    // named in errors
  llvm::StringRef function; // which of its programs
  int guard = -1;           // the map that stands for `guard_section`, if there is one
};

// The verifier, or the compiler's back end, refused it: not an error of the user's. `log` is the end of what it said.
class Rejected : public llvm::ErrorInfo<Rejected> {
public:
  static char ID;

  explicit Rejected(std::string log) : log_(std::move(log)) {}
  const std::string& log_text() const { return log_; }
  void log(llvm::raw_ostream& out) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string log_;
};

// Loads the program with every map of `running` in the place of the object's own map of that name and shape; nothing is
// attached, and nothing is pinned. Errors: Rejected; maps that cannot be told apart; the kernel's other errors.
llvm::Expected<Descriptor> load_version(const Loading& loading, const RunningProgram& running);

// The full name of the program in the object that runs as `running`: the kernel keeps 15 characters of it.
llvm::Expected<std::string> function_of(llvm::StringRef object, llvm::StringRef where,
                                        const RunningProgram& running);

// Whether the object, loaded again on the same maps, gives exactly the instructions that run. An error says that it does not,
// and what to do.
llvm::Error check_object_matches(const Loading& loading, const RunningProgram& running);

// The name that a map of the object goes by in the running program, or null. Data sections are named after the loader's
// object file there.
const RunningMap* find_running_map(const RunningProgram& running, llvm::StringRef name);

} // namespace heddle
