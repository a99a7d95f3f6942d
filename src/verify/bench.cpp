// Problem. The machine's speed drifts (neighbours on the host, frequency, page cache), by more than the
// effects that are measured. Two long series, first A then B, would measure the drift.
//
// Choice. The variants run in turn, A B A B, pinned to one CPU, each in a fresh folder of the same path. Each
// round gives one ratio, in which slow drift cancels; the median of the ratios is reported with its 95 %
// interval (ratio.cpp). CPU time is the default metric: unlike wall time it does not count what others run on
// the same CPU. Counters are read in runs of their own, since reading them costs time.

#include "verify/bench.h"

#include "support/diagnostic.h"
#include "support/progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

#include <chrono>

namespace heddle {

using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr unsigned least_rounds = 7; // below six no 95 % interval exists

std::string tail(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().take_back(200).trim().str() : "";
}

std::optional<double> last_match(StringRef text, const std::string& pattern) {
  llvm::Regex regex(pattern, llvm::Regex::Newline);
  llvm::SmallVector<StringRef, 4> groups;
  std::optional<double> found;
  while (regex.match(text, &groups)) {
    if (double value; llvm::to_float(groups[1], value)) found = value;
    text = text.drop_front(size_t(groups[0].end() - text.begin()));
    if (groups[0].empty()) text = text.drop_front(std::min<size_t>(1, text.size()));
    if (text.empty()) break;
  }
  return found;
}

class Bench {
public:
  Bench(llvm::ArrayRef<Variant> variants, const BenchOptions& options, Sandbox sandbox)
      : variants_(variants), options_(options), sandbox_(std::move(sandbox)) {
    result_.machine = describe_machine();
    result_.metric = options.metric;
    result_.cpu = options.cpu.value_or(last_cpu());
    process_.core = result_.cpu;
    for (const Variant& variant : variants)
      result_.variants.push_back({variant.name, {}, {}, {}, {}});
  }

  llvm::Expected<BenchResult> run() {
    progress_at("warming up");
    for (unsigned i = 0; i != options_.warm_ups; ++i)
      for (const Variant& variant : variants_)
        if (auto value = measure(variant); !value) return value.takeError();
    if (llvm::Error error = run_rounds()) return std::move(error);
    if (llvm::Error error = run_counters()) return std::move(error);
    summarise();
    return std::move(result_);
  }

private:
  llvm::Error run_rounds() {
    auto begin = std::chrono::steady_clock::now();
    unsigned rounds = std::max(options_.pairs, least_rounds);
    for (; result_.rounds != rounds; ++result_.rounds) {
      double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (result_.rounds >= least_rounds && options_.budget_seconds > 0 && spent > options_.budget_seconds)
        break;
      progress_at({llvm::formatv("round {0} of {1}", result_.rounds + 1, rounds), double(result_.rounds),
                   double(rounds)});
      for (size_t v = 0; v != variants_.size(); ++v) {
        auto value = measure(variants_[v]);
        if (!value) return value.takeError();
        result_.variants[v].samples.push_back(*value);
      }
    }
    return llvm::Error::success();
  }

  llvm::Expected<CapturedRun> succeed(const Variant& variant, const std::vector<std::string>& prefix = {}) {
    auto run = sandbox_.run(variant, process_, prefix);
    if (!run) return run.takeError();
    if (run->process.ok()) return run;
    std::string end = tail(run->stderr_path);
    return diagnose(
        Twine(variant.name) +
            (run->process.timed_out ? Twine(" ran out of time")
                                    : " failed with status " + Twine(run->process.exit_status)) +
            (end.empty() ? Twine("") : ": " + Twine(end)),
        "run it by hand with the same arguments; 'heddle verify' shows whether only one variant fails",
        variant.program);
  }

  llvm::Expected<double> measure(const Variant& variant) {
    auto run = succeed(variant);
    if (!run) return run.takeError();
    auto value = metric_of(*run, variant);
    sandbox_.discard(*run);
    return value;
  }

  llvm::Expected<double> metric_of(const CapturedRun& run, const Variant& variant) const {
    double value = options_.metric.kind == Metric::WallTime
                       ? run.process.wall_seconds
                       : run.process.user_seconds + run.process.system_seconds;
    if (options_.metric.kind == Metric::Output) {
      std::optional<double> found;
      for (const std::string& path : {run.stdout_path, run.stderr_path})
        if (auto buffer = llvm::MemoryBuffer::getFile(path); buffer && !found)
          found = last_match((*buffer)->getBuffer(), options_.metric.pattern);
      if (!found)
        return diagnose("the output of " + variant.name + " holds no number for the metric '" +
                            options_.metric.pattern + "'",
                        "compare the pattern with what the program prints", variant.program);
      value = *found;
    }
    if (value > 0) return value;
    return diagnose("the metric of " + variant.name + " is " + Twine(std::to_string(value)),
                    "give the program more input, so that it runs for at least a second", variant.program);
  }

  llvm::Error run_counters() {
    if (!options_.use_counters) {
      result_.no_counters = "hardware counters were not asked for";
      return llvm::Error::success();
    }
    progress_at("hardware counters");
    Counters counters = Counters::probe();
    result_.no_counters = counters.why_not();
    if (!counters.usable()) return llvm::Error::success();
    for (size_t v = 0; v != variants_.size(); ++v) {
      auto folder = TemporaryFolder::create("heddle-perf");
      if (!folder) return folder.takeError();
      auto run = succeed(variants_[v], counters.prefix(folder->file("report")));
      if (!run) return run.takeError();
      sandbox_.discard(*run);
      if (auto report = llvm::MemoryBuffer::getFile(folder->file("report")))
        result_.variants[v].counters = Counters::parse((*report)->getBuffer());
    }
    return llvm::Error::success();
  }

  void summarise() {
    bool higher = options_.metric.kind == Metric::Output && options_.metric.higher_is_better;
    for (BenchedVariant& variant : result_.variants) {
      std::vector<double> ratios;
      for (auto [first, own] : llvm::zip(result_.variants.front().samples, variant.samples))
        ratios.push_back(higher ? own / first : first / own);
      variant.value = median_interval(variant.samples);
      variant.ratio = median_interval(ratios);
    }
  }

  llvm::ArrayRef<Variant> variants_;
  const BenchOptions& options_;
  Sandbox sandbox_;
  ProcessOptions process_;
  BenchResult result_;
};

void write_interval(const char* name, const Interval& interval, llvm::json::OStream& json) {
  json.attribute(name, interval.median);
  json.attributeArray(std::string(name) + "_ci", [&] {
    json.value(interval.low);
    json.value(interval.high);
  });
}

} // namespace

std::string Metric::unit() const {
  return kind == Output ? pattern : kind == WallTime ? "s of wall time" : "s of CPU time";
}

llvm::Expected<Metric> parse_metric(StringRef text) {
  if (text == "cpu") return Metric{};
  if (text == "wall") return Metric{Metric::WallTime, "", false};
  bool lower = text.consume_front("lower:");
  std::string why;
  llvm::Regex regex(text);
  if (!regex.isValid(why))
    return diagnose("metric '" + text + "': " + why, "give cpu, wall, or a pattern such as 'pps=([0-9.]+)'");
  if (regex.getNumMatches() != 1)
    return diagnose("metric '" + text + "' has " + Twine(regex.getNumMatches()) + " groups, not one",
                    "put the number into parentheses: 'pps=([0-9.]+)'");
  return Metric{Metric::Output, text.str(), !lower};
}

llvm::Expected<BenchResult> bench(llvm::ArrayRef<Variant> variants, const BenchOptions& options) {
  if (variants.empty()) return diagnose("nothing to run", "give the original and the optimized program");
  auto sandbox = Sandbox::create(options.command);
  if (!sandbox) return sandbox.takeError();
  return Bench(variants, options, std::move(*sandbox)).run();
}

void print_bench(const BenchResult& result, llvm::raw_ostream& out) {
  out << result.machine.str() << '\n';
  out << llvm::formatv("{0} rounds in turn on CPU {1}; {2}\n", result.rounds, result.cpu,
                       result.metric.unit());
  for (const BenchedVariant& variant : result.variants) {
    out << llvm::formatv("  {0,-20} {1,12:f4}", variant.name, variant.value.median);
    if (&variant != &result.variants.front())
      out << llvm::formatv("   ratio {0:f3}  [{1:f3}, {2:f3}] at {3:f1} %", variant.ratio.median,
                           variant.ratio.low, variant.ratio.high, 100 * variant.ratio.confidence);
    out << '\n';
  }
  if (!result.no_counters.empty()) out << "  " << result.no_counters << '\n';
  for (const BenchedVariant& variant : result.variants)
    for (const Counter& counter : variant.counters)
      out << llvm::formatv("  {0,-20} {1,16:f0} {2}\n", variant.name, counter.value, counter.name);
}

void write_bench(const BenchResult& result, llvm::json::OStream& json) {
  json.attributeObject("machine", [&] { write_machine(result.machine, json); });
  json.attribute("metric", result.metric.unit());
  json.attribute("higher_is_better", result.metric.kind == Metric::Output && result.metric.higher_is_better);
  json.attribute("cpu", result.cpu);
  json.attribute("rounds", result.rounds);
  json.attribute("no_counters", result.no_counters);
  json.attributeArray("variants", [&] {
    for (const BenchedVariant& variant : result.variants)
      json.object([&] {
        json.attribute("name", variant.name);
        write_interval("value", variant.value, json);
        write_interval("ratio", variant.ratio, json);
        json.attribute("confidence", variant.ratio.confidence);
        json.attributeArray("samples", [&] {
          for (double sample : variant.samples)
            json.value(sample);
        });
        json.attributeObject("counters", [&] {
          for (const Counter& counter : variant.counters)
            json.attribute(counter.name, counter.value);
        });
      });
  });
}

} // namespace heddle
