// `heddle calibrate --show`.
#include "host/host.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace heddle {

using llvm::formatv;

namespace {

// Bars of `value` by a logarithmic scale, as costs differ by powers of ten.
std::string bar(double value, double least, double most) {
  constexpr double width = 20;
  if (value <= 0 || most <= least) return "";
  return std::string(size_t(1 + std::round(std::log(value / least) / std::log(most / least) * (width - 1))),
                     '#');
}

std::string size_text(uint64_t kib) {
  return kib % 1024 == 0 ? formatv("{0} MiB", kib / 1024).str() : formatv("{0} KiB", kib).str();
}

void print_figure(const char* name, const char* unit, const Figure& figure, llvm::raw_ostream& out) {
  const std::string value = figure.known() ? formatv("{0:f2} {1}", figure.value, unit).str() : "-";
  out << "  " << llvm::left_justify(name, 34) << llvm::left_justify(value, 22);
  if (figure.spread_percent > 0) out << formatv("spread {0:f1} %, ", figure.spread_percent);
  out << figure.source << '\n';
}

void print_front_end(const Host& host, llvm::raw_ostream& out) {
  const FrontEnd& front_end = host.front_end;
  out << "\nCode that runs again and again: cycles per instruction by its size (" << front_end.source
      << ")\n";
  if (front_end.points.empty()) return;
  double least = front_end.points.front().straight, most = least;
  for (const CodePoint& point : front_end.points)
    for (double value : {point.straight, point.conditional, point.indirect}) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  out << "  " << llvm::right_justify("size", 8) << "  " << llvm::left_justify("straight", 28)
      << llvm::left_justify("conditional branches", 28) << "indirect jumps\n";
  for (const CodePoint& point : front_end.points) {
    out << "  " << llvm::right_justify(size_text(point.footprint_kib), 8) << "  ";
    std::string text;
    for (double value : {point.straight, point.conditional, point.indirect})
      text += formatv("{0,6:f2} {1,-21}", value, bar(value, least, most));
    out << llvm::StringRef(text).rtrim() << '\n';
  }
  out << "  cycles to bring a line again (derived; with what the core overlaps):\n";
  for (uint64_t kib : {128, 512, 2048, 8192}) {
    if (kib > front_end.points.back().footprint_kib) break;
    const double lines = double(kib) * 1024 / 64;
    out << "  " << llvm::right_justify(size_text(kib), 8)
        << formatv("  straight {0:f1}, conditional {1:f1}, indirect {2:f1}\n",
                   refill_cycles_per_line(host, &CodePoint::straight, lines),
                   refill_cycles_per_line(host, &CodePoint::conditional, lines),
                   refill_cycles_per_line(host, &CodePoint::indirect, lines));
  }
}

std::string number(const Figure& figure) {
  return figure.known() ? formatv("{0:f1}", figure.value).str() : "-";
}

void print_data(const Host& host, llvm::raw_ostream& out) {
  out << "\nData in random lines: cycles that a load waits, and how many are under way at once\n";
  out << "  level   pages  working set   latency  spread  by loads  prefetched into level 1  into level 2\n";
  double most = 0;
  for (const DataPoint& point : host.data)
    most = std::max(most, point.latency_cycles.value);
  for (const DataPoint& point : host.data) {
    out << "  " << llvm::left_justify(point.level, 8) << llvm::left_justify(point.pages, 7)
        << llvm::right_justify(point.working_set_kib ? size_text(point.working_set_kib) : "?", 11);
    if (!point.latency_cycles.known()) {
      out << "   " << point.latency_cycles.source << '\n';
      continue;
    }
    out << formatv("{0,10:f1}{1,6:f1} %{2,10}{3,25}{4,14}  {5}\n", point.latency_cycles.value,
                   point.latency_cycles.spread_percent, number(point.loads_at_once),
                   number(point.level1_prefetches_at_once), number(point.level2_prefetches_at_once),
                   bar(point.latency_cycles.value, 1, most));
    if (point.latency_cycles.source != "measured")
      out << "          latency: " << point.latency_cycles.source << '\n';
    if (point.loads_at_once.source != "measured" && point.loads_at_once.known())
      out << "          at once: " << point.loads_at_once.source << '\n';
  }
}

void print_calls(const Calls& calls, llvm::raw_ostream& out) {
  out << "\nCalls: " << calls.what << " (" << calls.source << ")\n";
  if (calls.points.empty()) return;
  double least = HUGE_VAL, most = 0;
  for (const CallPoint& point : calls.points)
    for (double each : {point.receive_cycles / point.burst, point.transmit_cycles / point.burst}) {
      least = std::min(least, each);
      most = std::max(most, each);
    }
  out << "  cycles a packet: of a call for all, and of a call for each\n"
      << "   burst  " << llvm::left_justify("receive", 28) << llvm::right_justify("each", 6) << "  "
      << llvm::left_justify("transmit", 28) << llvm::right_justify("each", 6) << '\n';
  for (const CallPoint& point : calls.points) {
    const double receive = point.receive_cycles / point.burst, transmit = point.transmit_cycles / point.burst;
    out << formatv("  {0,6}  {1,6:f0} {2,-21}{3,6:f0}  {4,6:f0} {5,-21}{6,6:f0}\n", point.burst, receive,
                   bar(receive, least, most), point.receive_each_cycles / point.burst, transmit,
                   bar(transmit, least, most), point.transmit_each_cycles / point.burst);
  }
}

} // namespace

void print_host(const Host& host, llvm::raw_ostream& out) {
  out << host.name << '\n' << host.machine.str() << '\n' << host.origin;
  if (!host.machine.date.empty()) out << "; CPU " << host.cpu;
  out << "\n\n";
  print_figure("core", "GHz", host.core_ghz, out);
  print_figure("time stamp counter", "GHz", host.clock_ghz, out);
  print_figure("noise of the core", "%", host.noise_percent, out);
  print_figure("CPU taken by other programs", "%", host.taken_percent, out);
  print_figure("instructions per cycle", "", host.instructions_per_cycle, out);
  print_figure("window behind a waiting load", "instructions", host.window_instructions, out);
  print_figure("switch between stacks", "cycles", host.crossing_cycles, out);
  print_figure("step aside in one function", "cycles", host.step_cycles, out);
  print_figure("a run over those that wait", "cycles", host.pass_cycles, out);
  print_figure("prefetch of a line that is there", "cycles", host.prefetch_cycles, out);
  print_figure("last level of cache, own share", "MiB", host.last_level_mib, out);
  print_figure("walk of the page tables", "cycles", host.walk_cycles, out);
  print_front_end(host, out);
  print_data(host, out);
  print_calls(host.calls, out);
}

} // namespace heddle
