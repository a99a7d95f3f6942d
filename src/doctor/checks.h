// The checks, one function for each kind of thing.
#pragma once

#include "doctor/check.h"

namespace heddle {

Check check_temporary_files();
Check check_compiler(); // clang 19 makes a program that runs
Check check_linker();   // lld 19
Check check_own_files();
Check check_llvm_tools();
Check check_valgrind();
Check check_perf();
std::vector<Check> check_counters(); // perf_event_open, by counter
std::vector<Check> check_huge_pages();
Check check_large_pages(); // transparent ones
Check check_private_stacks();
std::vector<Check> check_bpf(); // a program of each kind; the kernel's types
std::vector<Check> check_dpdk();
Check check_pcap();
Check check_network_namespaces();
Check check_steadiness();
Check check_calibration();

} // namespace heddle
