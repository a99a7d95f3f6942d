// Declared differences: text that may differ between two runs of the same program.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

// Every match of `pattern` (POSIX extended, within a line) in the channel is replaced before comparing.
struct Filter {
  std::string channel; // "stdout", "stderr", a file's relative name, or "text" (stdout and stderr)
  std::string pattern, replacement;
};

// "CHANNEL:/PATTERN/REPLACEMENT/" (any character in place of '/'), or the name of a built-in filter:
//   times      12:34:56 and 12:34:56.789
//   dates      2026-11-21, Sat Nov 21 2026
//   durations  1.25 s, 3 ms, 17 usec, 2 seconds
//   rates      1.2 Mpps, 34 K pps, 5.6 Gbit/s, 7 MB/sec
//   pids       pid 1234, [1234]
//   addresses  0x7f0012345678
// Built-in filters apply to stdout and stderr. Errors: malformed, not a regular expression, unknown name.
llvm::Expected<Filter> parse_filter(llvm::StringRef text);

bool applies_to(const Filter& filter, llvm::StringRef channel);

// `text` after all filters of the channel, in order.
std::string apply_filters(llvm::StringRef text, llvm::StringRef channel, llvm::ArrayRef<Filter> filters);

} // namespace heddle
