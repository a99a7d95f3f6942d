// What the command line asks for.
#pragma once

#include <cstddef>
#include <vector>

namespace lookup {

struct Options {
  const char* workloads = nullptr; // names, with commas; null: all
  std::vector<size_t> bytes;       // of tables that can be of any size
  std::vector<int> batches, hops;
  std::vector<bool> huge, zipf;
  int rounds = 61;
  size_t keys = 1 << 20;
  const char* data = nullptr;
  bool brief = false;       // --short
  bool sizes_given = false; // with --bytes
  bool keys_given = false;  // with --distinct
};

// Ends the program with a message for options that it does not know.
Options options_of(int argc, char** argv);

} // namespace lookup
