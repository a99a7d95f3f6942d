// What a session is at, look by look: for people who watch, and for Prometheus.
#pragma once

#include "specialize/bpf/sampler.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct LiveSite {
  std::string name, map; // name: the map's, and the number of the lookup in it
  HeatVerdict verdict = HeatVerdict::Unknown;
  bool sampling = false;
  size_t hot_keys = 0;
  double share = 0; // see SiteHeat
};

struct LiveReport {
  std::string attached_to;
  uint32_t program = 0;  // id of the version that runs
  bool original = false; // no version runs, but the original itself: there is nothing to gain
  bool left = false;     // somebody else's program is in its place, which is left alone
  uint64_t epoch = 0;    // of the tables
  bool holds = false;    // the version is for what the tables hold; else packets take the original body
  unsigned versions = 0, confirmed = 0; // made; found right again after changes that changed nothing
  uint64_t missed = 0;                  // packets that found other tables at the entry than their version's
  double making_seconds = 0;            // of a processor, spent on versions
  std::optional<double> packets_per_second; // known while packets are sampled
  std::optional<double> sampled_percent;
  std::vector<LiveSite> sites;
  std::vector<std::string> passes; // "pass: table" of the version
};

std::vector<LiveSite> live_sites(const Sampler& sampler);

void print(const LiveReport& report, llvm::raw_ostream& out);

// All of a chain in Prometheus's text format, as the textfile collector of its node exporter takes it.
void print_prometheus(llvm::ArrayRef<LiveReport> reports, llvm::raw_ostream& out);

} // namespace heddle
