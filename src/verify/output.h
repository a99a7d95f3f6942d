// Same input, same output: the comparison behind `heddle verify`.
#pragma once

#include "verify/filter.h"
#include "verify/sandbox.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace heddle {

struct VerifyOptions {
  CommandLine command;
  std::vector<Filter> filters;
};

enum class Verdict { Identical, Different, Unknown };
llvm::StringRef verdict_name(Verdict verdict); // "identical", "different", "unknown"

// The first byte that differs.
struct Difference {
  std::string variant;           // against the first variant
  std::string channel;           // "exit status", "stdout", "stderr", "files", or a file's relative name
  uint64_t offset = 0, line = 0; // of the filtered text; line from 1, 0 for binary data
  std::string expected, actual;  // what stands there, escaped
};

struct VerifiedRun {
  std::string name;
  int exit_status = 0;
  bool timed_out = false;
  double seconds = 0;
  uint64_t stdout_bytes = 0, stderr_bytes = 0, file_bytes = 0;
  uint64_t files = 0;
};

struct VerifyResult {
  Verdict verdict = Verdict::Unknown;
  std::string reason; // of Unknown; a reservation otherwise, or empty
  std::vector<VerifiedRun> runs;
  std::optional<Difference> difference;
};

// Runs every variant on the same command and compares exit status, stdout, stderr and every file written with
// those of the first, byte by byte. When they differ, the first variant runs once more: a program that does
// not repeat itself makes the verdict Unknown. So does an original that crashes or runs out of time. In
// stdout and stderr a variant's own path counts as the first one's. Errors: fewer than two variants, a
// program that cannot be started, outputs that cannot be read.
llvm::Expected<VerifyResult> verify_outputs(llvm::ArrayRef<Variant> variants, const VerifyOptions& options);

void print_verify(const VerifyResult& result, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_verify(const VerifyResult& result, llvm::json::OStream& json);

} // namespace heddle
