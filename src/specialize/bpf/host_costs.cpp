// Each kind of step is timed by the kernel itself (BPF_PROG_TEST_RUN), all kinds in turn, and the least of each is taken: whatever else the machine does only ever
// adds. The programs are of type "tc": a test run of an XDP program waits for all processors each time, which takes milliseconds.
#include "specialize/bpf/host_costs.h"

#include "specialize/bpf/cost_layout.h"
#include "specialize/bpf/running.h"
#include "support/diagnostic.h"
#include "support/installed.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

namespace heddle {

using llvm::Error;
using llvm::Expected;

namespace {

constexpr int rounds = 24, repeats = 40;
constexpr const char* where = "cost.bpf.c";

using Object = std::unique_ptr<bpf_object, decltype(&bpf_object__close)>;

class Bench {
public:
  explicit Bench(Object object) : object_(std::move(object)) {}

  // `entries` keys: a number, or a prefix, and zeros behind it.
  Error fill(const char* map, uint32_t entries, bool prefixes) {
    int fd = bpf_object__find_map_fd_by_name(object_.get(), map);
    for (uint32_t number = 0; number != entries; ++number) {
      char key[HEDDLE_COST_WIDE] = {};
      uint32_t words[] = {number, 0};
      if (prefixes) {
        words[0] = 24;
        words[1] = HEDDLE_COST_ADDRESS(number);
      }
      memcpy(key, words, sizeof words);
      uint64_t zero = 0;
      if (bpf_map_update_elem(fd, key, &zero, BPF_ANY) != 0)
        return bpf_error("costs cannot be measured", errno, where);
    }
    return Error::success();
  }

  // Which bit of the number drawn each branch asks for; no shift: none.
  Error ask(uint32_t first) {
    heddle_asked asked{};
    for (uint32_t branch = 0; branch != HEDDLE_COST_BRANCHES; ++branch)
      asked.of_branch[branch] = first << (3 * branch);
    uint32_t zero = 0;
    int fd = bpf_object__find_map_fd_by_name(object_.get(), "asked");
    if (bpf_map_update_elem(fd, &zero, &asked, BPF_ANY) == 0) return Error::success();
    return bpf_error("costs cannot be measured", errno, where);
  }

  // Nanoseconds a step, once more.
  Expected<double> time(const char* program) {
    int fd = bpf_program__fd(bpf_object__find_program_by_name(object_.get(), program));
    char packet[64] = {};
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof packet, .repeat = repeats);
    if (bpf_prog_test_run_opts(fd, &run) != 0) return bpf_error("costs cannot be measured", errno, where);
    return double(run.duration) / HEDDLE_COST_STEPS;
  }

private:
  Object object_;
};

Expected<Bench> load() {
  libbpf_set_print(nullptr);
  std::string path = installed_file("heddle-cost.bpf.o");
  Object object(bpf_object__open(path.c_str()), bpf_object__close);
  if (!object)
    return diagnose("cannot be read", "build Heddle again, or set HEDDLE_LIB to where its libraries are",
                    path);
  if (bpf_object__load(object.get()) != 0) return bpf_error("costs cannot be measured", errno, where);
  Bench bench(std::move(object));
  struct Filled {
    const char* map;
    uint32_t entries;
    bool prefixes;
  };
  for (const Filled& filled : {Filled{"cost_few", HEDDLE_COST_FEW, false},
                               {"cost_many", HEDDLE_COST_ENTRIES, false},
                               {"cost_wide", HEDDLE_COST_FEW, false},
                               {"cost_few_prefixes", HEDDLE_COST_FEW, true},
                               {"cost_many_prefixes", HEDDLE_COST_ENTRIES, true}})
    if (Error error = bench.fill(filled.map, filled.entries, filled.prefixes)) return std::move(error);
  return bench;
}

} // namespace

Expected<HostCosts> measure_host_costs() {
  auto bench = load();
  if (!bench) return bench.takeError();
  const char* programs[] = {"nothing",       "array", "few",    "many",        "wide",     "few_prefixes",
                            "many_prefixes", "loads", "hashed", "wide_hashed", "branches", "branches"};
  double times[std::size(programs)];
  std::fill(std::begin(times), std::end(times), std::numeric_limits<double>::max());
  for (int round = 0; round != rounds; ++round)
    for (size_t i = 0; i != std::size(programs); ++i) {
      bool surprising = i + 1 == std::size(programs);
      if (Error error = bench->ask(surprising ? 1U << 4 : 0)) return std::move(error);
      auto time = bench->time(programs[i]);
      if (!time) return time.takeError();
      times[i] = std::min(times[i], *time);
    }
  auto [nothing, array, few, many, wide, few_prefixes, many_prefixes, loads, hashed, wide_hashed, foreseen,
        surprising] = times;
  const double doublings = std::log2(double(HEDDLE_COST_ENTRIES) / HEDDLE_COST_FEW);
  HostCosts costs;
  costs.array = array - nothing;
  costs.hash = few - nothing;
  costs.hash_doubling = (many - few) / doublings;
  costs.hash_byte = (wide - few) / (HEDDLE_COST_WIDE - sizeof(uint32_t));
  costs.prefix = few_prefixes - nothing;
  costs.prefix_doubling = (many_prefixes - few_prefixes) / doublings;
  costs.hashed = hashed - nothing;
  costs.hashed_word = (wide_hashed - hashed) / (HEDDLE_COST_WIDE / 8.0 - 1);
  costs.load = (loads - nothing) / 2;
  costs.compare = (foreseen - nothing) / HEDDLE_COST_BRANCHES;
  costs.surprise = (surprising - foreseen) / (HEDDLE_COST_BRANCHES / 2.0); // each other one
  costs.measured = true;
  for (double cost : {costs.array, costs.hash, costs.prefix, costs.hashed, costs.load, costs.surprise})
    if (cost <= 0)
      return diagnose("the times make no sense: the machine is too busy", "the built-in figures do", where);
  for (double* cost :
       {&costs.hash_doubling, &costs.hash_byte, &costs.prefix_doubling, &costs.hashed_word, &costs.compare})
    *cost = std::max(*cost, 0.0);
  return costs;
}

} // namespace heddle
