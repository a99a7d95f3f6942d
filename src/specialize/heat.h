// Which keys a site looks up most, from samples, and whether code of their own pays.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct HotKey {
  std::string key;    // its bytes, as the program sees them
  uint64_t count = 0; // how often it was sampled of late
};

// What is known of a site.
enum class HeatVerdict {
  Unknown, // too few samples yet
  Hot,     // a few keys are most of its lookups
  Even,    // no few keys are
  Churn,   // a few keys are, but others all the time
};

class SiteHeat {
public:
  // `pays_at`: the share of the lookups that the hottest keys must have for code of their own to pay.
  explicit SiteHeat(double pays_at) : pays_at_(pays_at) {}

  // Takes what was sampled since the last look: how often each key was met.
  void look(const llvm::StringMap<uint64_t>& sampled);

  // What a version should do at the site; `changes` grows with every change of it.
  const std::vector<HotKey>& keys() const { return keys_; } // hottest first; none: no code of their own
  bool sampling() const { return resting_ == 0; }
  uint64_t changes() const { return changes_; }

  HeatVerdict verdict() const { return verdict_; }
  double share() const { return share_; } // of the lookups that keys() have; without keys, of the hottest
  uint64_t others() const { return total_ - in_; } // samples of no key of keys()

private:
  void take_in();
  std::vector<HotKey> hottest() const;
  double share_of(const std::vector<HotKey>& keys) const;
  void choose(std::vector<HotKey> keys);
  void rest(HeatVerdict why);

  double pays_at_;
  llvm::StringMap<uint64_t> new_, heat_;
  uint64_t total_new_ = 0, total_ = 0, in_ = 0;
  std::vector<HotKey> keys_;
  HeatVerdict verdict_ = HeatVerdict::Unknown;
  double share_ = 0;
  uint64_t changes_ = 0;
  unsigned even_ = 0;      // times in a row without hot keys
  unsigned unrest_ = 0;    // grows with changes, and fades
  unsigned resting_ = 0;   // looks left without sampling
  unsigned next_rest_ = 0; // how long the last rest was
};

// How many packets come to a site at all: code for what hardly any packet meets costs all others a check.
class SiteReach {
public:
  // Of `packets` sampled packets, `reached` came there (more than once, in a loop).
  void look(uint64_t packets, uint64_t reached);

  bool counting() const { return resting_ == 0; }
  bool is_seldom() const { return seldom_; }    // as long as nothing is known: no
  uint64_t changes() const { return changes_; } // of either

private:
  uint64_t packets_ = 0, reached_ = 0;
  bool seldom_ = false;
  unsigned resting_ = 0, next_rest_ = 0; // looks
  uint64_t changes_ = 0;
};

} // namespace heddle
