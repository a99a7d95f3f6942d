// The sampling of a program's lookups: maps of Heddle's own that versions write, and what is made of them.
#pragma once

#include "specialize/heat.h"
#include "specialize/table.h"
#include "support/descriptor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <map>
#include <string>

namespace heddle {

class Sampler {
public:
  struct Site {
    std::string map;   // by name
    Descriptor sketch; // key: the map's; value: how often it was looked up, per processor
    uint32_t key_bytes = 0;
    SiteHeat heat;
  };

  // How many of the sampled packets come to a site.
  struct Reached {
    Descriptor counter; // one number
    uint64_t counted = 0;
    // Of a small table: which keys they bring, as in Site, and what is known of that from the last count, and from this one.
    Descriptor sketch;
    uint32_t key_bytes = 0;
    llvm::StringMap<uint64_t> keys, counting_keys;
    bool is_new = true; // until a version counts there
    SiteReach reach;
  };

  // `percent`: the most packets that are sampled. Errors: the kernel gives no such maps.
  static llvm::Expected<Sampler> start(double percent);

  // The site of that name, a new one if there is none yet. `pays_at`: see SiteHeat.
  llvm::Expected<Site*> site(llvm::StringRef name, llvm::StringRef map, uint32_t key_bytes, double pays_at);

  // Likewise, for a version that is about to be made. `key_bytes`: of a small table; 0: its keys are not to be known.
  llvm::Expected<Reached*> reached(llvm::StringRef name, uint32_t key_bytes);

  // Likewise, or null if there is none yet.
  const Reached* known_reached(llvm::StringRef name) const;

  // Takes what was sampled since the last look, and samples as many packets from now on as that takes, but not more than `percent`.
  // `current`: the version that runs does what has been wanted since the last look.
  llvm::Error look(bool current);

  // Grows whenever versions should do other than before.
  uint64_t changes() const;

  const std::map<std::string, Site, std::less<>>& sites() const { return sites_; }
  int gaps() const { return gaps_.get(); } // heddle_gap, see linked_layout.h
  int mean() const { return mean_.get(); }
  double percent() const { return 100.0 / double(between_); } // of the packets, now
  bool sampling() const;                                      // whether any site is sampled
  double packets_per_second() const { return rate_; } // between the last two looks, where packets are sampled

private:
  Sampler() = default;
  llvm::Error set_between(uint64_t packets);
  llvm::Error look_at(Reached& site, uint64_t packets, bool current);

  Descriptor gaps_, mean_;
  uint64_t least_between_ = 1, between_ = 1, taken_ = 0;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  double rate_ = 0;
  std::map<std::string, Site, std::less<>> sites_;
  std::map<std::string, Reached, std::less<>> reached_;
};

} // namespace heddle
