// Look-ups that wait for memory: one at a time, made to overlap by Heddle, and by hand in three ways, side by side in one process
// (G-Opt, sections 3.3 and 4; Kumar et al., APSys 2017, section 3.1).
//
// baseline and heddle are one source (plain.h); group is group prefetching, amac and coroutines are what amac.h and coroutine.h say.
// A JSON line for each variant under each set of parameters; status 1: a variant's results were not the baseline's.
#include "measure.h"
#include "options.h"

#include <sched.h>

#include <cstdio>
#include <cstring>

using namespace lookup;

// clang-format off
static const Kind kinds[] = {
    {"chase", true, true, make_chase},
    {"cuckoo", true, false, make_cuckoo},
    {"lpm4", false, false, make_lpm4},
    {"lpm6", false, false, make_lpm6},
    {"lpm6-real", false, false, make_lpm6_real},
    {"trie6", false, false, make_trie6},
    {"trie6-compressed", false, false, make_trie6_compressed},
    {"compression-best", false, false, make_compression_best},
    {"compression-some", false, false, make_compression_some},
    {"compression-none", false, false, make_compression_none},
    {"compression-real", false, false, make_compression_real},
    {"l2", true, false, make_l2},
    {"l2-dpdk", true, false, make_l2_dpdk},
    {"ndn", true, false, make_ndn},
    {"ac", false, false, make_ac},
};
// clang-format on

static void describe_machine() {
  char line[256], model[256] = "unknown";
  if (std::FILE* file = std::fopen("/proc/cpuinfo", "r")) {
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, "model name", 10) == 0) {
        line[std::strcspn(line, "\n")] = '\0';
        std::snprintf(model, sizeof model, "%s", std::strchr(line, ':') + 2);
        break;
      }
    std::fclose(file);
  }
  std::printf("{\"measure\":\"machine\",\"cpu\":\"%s\",\"ghz\":%.3f}\n", model, 1 / nanoseconds_per_cycle());
}

static void print(const Kind& kind, const Setup& setup, const Workload& workload, int batch,
                  const Measurement& measurement) {
  for (const Result& result : measurement.results) {
    std::printf("{\"workload\":\"%s\",", kind.name);
    if (kind.hops) std::printf("\"hops\":%d,", setup.hops);
    for (const auto& [name, value] : workload.notes)
      std::printf("\"%s\":%.2f,", name, value);
    std::printf("\"bytes\":%zu,\"pages\":\"%s\",\"keys\":\"%s\",\"batch\":%d,\"variant\":\"%s\",\"ns\":%.3f,"
                "\"ratio\":%.3f,\"ci\":[%.3f,%.3f]}\n",
                workload.table_bytes, setup.huge ? "huge" : "4K", setup.zipf ? "zipf" : "uniform", batch,
                result.variant, result.nanoseconds.median, result.speedup.median, result.speedup.low,
                result.speedup.high);
  }
  std::fflush(stdout);
}

// Whether no variant differs.
static bool run(const Kind& kind, const Setup& setup, const Options& options) {
  const std::unique_ptr<Workload> workload = kind.make(setup);
  if (!workload) return true;
  bool same = true;
  auto tell = [&](const char* variant, int batch) {
    if (!variant) return;
    std::fprintf(stderr, "lookup: %s: %s differs from baseline at batch %d\n", kind.name, variant, batch);
    same = false;
  };
  if (options.brief) {
    tell(check(*workload, 32), 32);
    return same;
  }
  for (int batch : options.batches) {
    const Measurement measurement = measure(*workload, batch, options.rounds);
    print(kind, setup, *workload, batch, measurement);
    tell(measurement.differs, batch);
  }
  return same;
}

static std::vector<Setup> setups(const Kind& kind, const Options& options) {
  std::vector<Setup> result;
  for (size_t bytes : kind.sized ? options.bytes : std::vector<size_t>{0})
    for (int hops : kind.hops ? options.hops : std::vector<int>{0})
      for (bool huge : options.huge)
        for (bool zipf : options.zipf)
          result.push_back(
              {bytes, options.brief && !options.sizes_given, huge, zipf, hops, options.keys, options.data});
  return result;
}

// Whether a list with commas has the name; a null list has all.
static bool wanted(const char* list, const char* name) {
  const size_t length = std::strlen(name);
  for (const char* at = list; at; at = std::strchr(at, ','), at = at ? at + 1 : at)
    if (std::strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  return list == nullptr;
}

int main(int argc, char** argv) {
  Options options = options_of(argc, argv);
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);

  if (options.brief) {
    if (!options.sizes_given) options.bytes = {1 << 20};
    options.hops.resize(1);
    options.huge = options.zipf = {false};
    if (!options.keys_given) options.keys = 2048;
  } else
    describe_machine();
  bool same = true, any = false;
  for (const Kind& kind : kinds) {
    if (!wanted(options.workloads, kind.name)) continue;
    any = true;
    for (const Setup& setup : setups(kind, options))
      same &= run(kind, setup, options);
  }
  if (!any) {
    std::fprintf(stderr, "lookup: no such workload: %s\n", options.workloads);
    return 2;
  }
  return same ? 0 : 1;
}
