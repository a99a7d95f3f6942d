// What fetching code costs a packet.
//
// Problem. A line that runs again is still in the cache, or is not, by how much other code has run since, and what it costs then has been
// measured on code that runs in a circle (docs/model.md), whose lines fill the sets of the cache evenly and come back after all of them.
//
// Choice. Of each line it is known which part p of the packets runs it. One stage follows another, and within a stage packet
// follows packet, so that a line comes back after 1/p packets' lines of its stage; the first of a batch that runs it, after all that ran
// between two batches. Lines of a real path lie in the sets at random: of U lines that have run since, k fell into the set of this one with
// the chance of Poisson's distribution, and a circle with that many lines in each set has the price. (Plans of nginx whose largest stages
// have 509, 384 and 256 lines, in a cache of 512, miss at 42, 18 and 4 % of the lines in a simulation with sets and ways; this says 46, 25 and 5.)
#pragma once

#include "plan/code_lines.h"

#include <functional>

namespace heddle {

// The chance that `between` lines, spread over the sets at random, put at least `ways` into a given one.
double chance_evicted(double between, double sets, unsigned ways);

class CodePrice {
public:
  // Cycles of a line that comes back after so many lines, in a circle of all of them.
  using Refill = std::function<double(double lines)>;

  // `all`: of all nodes. `sets`: of the first level of instruction cache; 0: any place serves any line.
  CodePrice(const CodeLines& all, unsigned witnesses, const Refill& refill, unsigned sets);

  // Cycles per packet of all code, packet after packet.
  double of_whole() const;
  // Of one of several stages, which run in turn with a batch of so many packets each.
  double of_stage(const CodeLines& stage, double batch) const;

private:
  static constexpr unsigned doublings = 13; // of a packet: 4,096 at most are in flight
  // By the number of packets, as a power of two: lines that so many run together.
  using Growth = std::array<double, doublings>;

  Growth growth_of(const LineCounts& counts) const;
  double refill(const Growth& growth, double packets) const;
  double chance(unsigned ran) const { return double(ran) / witnesses_; }

  const unsigned witnesses_;
  const LineCounts all_;
  std::vector<double> refill_; // by lines, a table of every eighth
  Growth growth_{};            // of all_
};

} // namespace heddle
