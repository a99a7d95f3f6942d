// What it takes a packet to step aside.
//
// On a stack of its own: sixteen sites with nothing between them, 32 packets in flight, against the same body with staging
// off; the difference per site. So it has the decision, the switch and the saving of what is live (bench/crossing measures the same, for
// other numbers of packets, with intervals).
// Within one function: a loop over the packets that wait, as an interleaved body has it (src/transform/interleave.h): find the
// next one, get what it kept, make its load, prefetch, keep it again. Nothing waits, as the table fits the first level of cache. With n packets
// a step takes step + pass / n cycles: pass is what a run over the waiting ones costs by itself.
#include "host/clock.h"
#include "host/machine_code.h"
#include "host/measure.h"

#include "heddle/heddle.h"
#include "runtime/runtime.h"
#include "runtime/site.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace heddle {

namespace {

struct PacketLoop {
  long left;
  unsigned long sum;
};

constexpr unsigned sites = 16;

// NOLINTBEGIN(bugprone-macro-parentheses)
#define HEDDLE_STAGE(number)                                                                                 \
  HEDDLE_SITE(number);                                                                                       \
  a += b;                                                                                                    \
  __asm__ volatile("" : "+r"(a), "+r"(b))
// NOLINTEND(bugprone-macro-parentheses)

int staged_body(void* env) {
  auto* loop = static_cast<PacketLoop*>(env);
  if (loop->left == 0) return 1;
  unsigned long a = loop->left--, b = 3;
  HEDDLE_STAGE(1);
  HEDDLE_STAGE(2);
  HEDDLE_STAGE(3);
  HEDDLE_STAGE(4);
  HEDDLE_STAGE(5);
  HEDDLE_STAGE(6);
  HEDDLE_STAGE(7);
  HEDDLE_STAGE(8);
  HEDDLE_STAGE(9);
  HEDDLE_STAGE(10);
  HEDDLE_STAGE(11);
  HEDDLE_STAGE(12);
  HEDDLE_STAGE(13);
  HEDDLE_STAGE(14);
  HEDDLE_STAGE(15);
  HEDDLE_STAGE(16);
  loop->sum += a;
  return 0;
}

Summary measure_body(unsigned batch, unsigned rounds) {
  constexpr long packets = 1024;
  heddle_set_batch(batch);
  return measure_cycles(rounds, packets, [] {
    PacketLoop loop{packets, 0};
    heddle_run_loop(staged_body, &loop, -1);
  });
}

Figure measure_crossing(unsigned rounds) {
  (void)measure_body(32, 2); // makes the stacks
  const Summary staged = measure_body(32, rounds), plain = measure_body(1, rounds);
  const double cycles = (staged.median - plain.median) / sites;
  if (cycles <= 0) return not_measured("sites took no time");
  return {cycles, staged.spread_percent, "measured"};
}

struct Frame {
  uint32_t at, left;
};

// So many hops each packet makes, in turn: a mean of 64, as loops in packet programs have no fixed length.
constexpr unsigned lengths = 64, mean_hops = 64;

// Packets of a set, each replaced by a new one when it ends, until `packets` have begun and all have ended.
__attribute__((noinline)) uint64_t interleaved(const uint32_t* table, const uint32_t* hops, Frame* frames,
                                               uint64_t waiting, uint64_t packets) {
  uint64_t sum = 0, begun = uint64_t(llvm::popcount(waiting));
  while (waiting) {
    uint64_t still = waiting;
    for (uint64_t rest = waiting; rest; rest &= rest - 1) {
      const unsigned packet = unsigned(llvm::countr_zero(rest));
      Frame& frame = frames[packet];
      const uint32_t at = table[frame.at];
      if (--frame.left == 0) {
        sum += at;
        if (begun == packets)
          still &= ~(uint64_t{1} << packet);
        else
          frame = {at, hops[++begun % lengths]};
        continue;
      }
      __builtin_prefetch(&table[at], 0, 2);
      frame.at = at;
    }
    waiting = still;
  }
  return sum;
}

// Cycles per step with so many in flight.
Summary measure_steps(const uint32_t* table, const uint32_t* hops, unsigned in_flight, unsigned rounds) {
  constexpr unsigned packets = 8 * lengths;
  Frame frames[64];
  return measure_cycles(rounds, double(packets) * mean_hops, [&] {
    for (unsigned i = 0; i != in_flight; ++i)
      frames[i] = {i, hops[i % lengths]};
    const uint64_t sum = interleaved(table, hops, frames, ~uint64_t{0} >> (64 - in_flight), packets);
    __asm__ volatile("" : : "r"(sum));
  });
}

} // namespace

llvm::Error measure_switches(Host& host, const Effort& effort) {
  host.crossing_cycles = measure_crossing(effort.rounds);
  constexpr unsigned entries = 2048; // 8 KiB
  static uint32_t table[entries];
  for (uint32_t i = 0; i != entries; ++i)
    table[i] = uint32_t(scramble(i) % entries);
  static uint32_t hops[lengths];
  for (uint32_t i = 0; i != lengths; ++i)
    hops[i * 37 % lengths] = mean_hops / 2 + i; // from 32 to 95
  std::vector<std::pair<double, double>> points;
  double spread = 0;
  for (unsigned packets : {4, 8, 16, 32, 64}) {
    const Summary step = measure_steps(table, hops, packets, 4 * effort.rounds);
    points.push_back({1.0 / packets, step.median});
    spread = std::max(spread, step.spread_percent);
  }
  const Line line = fit_line(points);
  host.step_cycles = {line.a, spread, "measured"};
  host.pass_cycles = line.b > 0 ? Figure{line.b, spread, "measured"}
                                : not_measured("steps of few packets took no longer than those of many");
  return llvm::Error::success();
}

} // namespace heddle
