// What a machine allows. Every check tries the thing itself: a version that is installed says little of whether it works.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle {

struct Check {
  std::string name;
  bool found = false;
  bool required = false; // nothing works without it
  std::string what;      // what there is, or why there is none
  std::string hint;      // where it is missing: how to get it
};

// In the order in which they are printed. Takes a few seconds, and leaves nothing behind.
std::vector<Check> check_machine();

// Names of what is required and missing, by commas; empty: all is there.
std::string missing_of(const std::vector<Check>& checks);

void print_checks(const std::vector<Check>& checks, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_checks(const std::vector<Check>& checks, llvm::json::OStream& json);

} // namespace heddle
