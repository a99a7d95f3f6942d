#pragma once

#include "top/counts.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

// For a person: rates of `passed`, and all in `now`.
void print_counts(const Counts& now, const Counts& passed, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_counts(const Counts& counts, llvm::json::OStream& json);
// Prometheus' text format.
void print_prometheus(const Counts& counts, llvm::raw_ostream& out);

} // namespace heddle
