#include "measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

namespace lookup {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

double nanoseconds_per_cycle() {
  double best = 1e9;
  for (int attempt = 0; attempt < 15; ++attempt) {
    constexpr long steps = 200000;
    unsigned long sum = 1;
    const double start = now();
    for (long left = steps; left > 0; --left)
      __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                       "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                       : "+r"(sum));
    best = std::min(best, (now() - start) / (10.0 * steps));
  }
  return best;
}

Estimate estimate(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const int count = int(values.size()), spread = int(std::ceil(0.98 * std::sqrt(count)));
  return {values[count / 2], values[std::max(0, count / 2 - spread)],
          values[std::min(count - 1, count / 2 + spread)]};
}

namespace {

class Runner {
public:
  Runner(const Workload& workload, int batch) : workload_(workload), batch_(batch) {
    results_.resize(workload.key_count * workload.result_bytes);
    run(workload.variants[0], 0, workload.key_count);
    expected_ = results_;
  }

  // The time of the look-ups of keys from, from + 1, ...
  double run(const Variant& variant, size_t from, size_t count) {
    const auto* keys = static_cast<const char*>(workload_.keys()) + from * workload_.key_bytes;
    char* results = results_.data() + from * workload_.result_bytes;
    const void* table = variant.table ? variant.table : workload_.table();
    std::memset(results, 0xff, count * workload_.result_bytes);
    const double start = now();
    for (size_t at = 0; at < count; at += batch_)
      variant.run(table, keys + at * workload_.key_bytes, results + at * workload_.result_bytes,
                  int(std::min(size_t(batch_), count - at)));
    return now() - start;
  }

  bool differs(size_t from, size_t count) const {
    const size_t offset = from * workload_.result_bytes;
    return std::memcmp(results_.data() + offset, expected_.data() + offset, count * workload_.result_bytes) !=
           0;
  }

private:
  const Workload& workload_;
  const int batch_;
  std::vector<char> results_, expected_;
};

// Look-ups that take the baseline about a millisecond, in whole batches; or all.
size_t slice_of(Runner& runner, const Workload& workload) {
  if (workload.uneven) return workload.key_count;
  constexpr double wanted = 1e6;
  const size_t sample = std::min<size_t>(4 * most_in_batch, workload.key_count);
  const double each = runner.run(workload.variants[0], 0, sample) / double(sample);
  const size_t most = std::max<size_t>(1, workload.key_count / workload.variants.size() / most_in_batch);
  return most_in_batch * std::clamp<size_t>(size_t(wanted / each) / most_in_batch, 1, most);
}

} // namespace

const char* check(const Workload& workload, int batch) {
  Runner runner(workload, batch);
  for (const Variant& variant : workload.variants) {
    runner.run(variant, 0, workload.key_count);
    if (runner.differs(0, workload.key_count)) return variant.name;
  }
  return nullptr;
}

Measurement measure(const Workload& workload, int batch, int rounds) {
  Measurement result;
  Runner runner(workload, batch);
  const size_t slice = slice_of(runner, workload), slices = workload.key_count / slice;
  std::vector<std::vector<double>> times(workload.variants.size()), speedups(times.size());
  for (size_t round = 0, at = 0; round < size_t(rounds) + 1; ++round)
    for (size_t v = 0; v < workload.variants.size(); ++v, ++at) {
      const size_t from = at % slices * slice;
      const double time = runner.run(workload.variants[v], from, slice);
      if (runner.differs(from, slice)) result.differs = workload.variants[v].name;
      if (round == 0) continue; // warms up
      times[v].push_back(time / double(slice));
      speedups[v].push_back(times[0].back() / times[v].back());
    }
  for (size_t v = 0; v < times.size(); ++v)
    result.results.push_back({workload.variants[v].name, estimate(times[v]), estimate(speedups[v])});
  return result;
}

} // namespace lookup
