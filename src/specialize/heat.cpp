// Problem: a few keys are often most of a large table's lookups, and then compares in front of the table pay. Which keys is known
// from samples only, it changes, and where it does not hold, both samples and compares are cost without gain.
//
// Choice: whenever there are enough new samples, older counts fade by half, so that what is hot now outweighs what was. Keys are chosen where the hottest
// have the share of the lookups at which compares pay, and chosen again where others would have a tenth more: a version takes tens of
// milliseconds of a processor. A site that stays without hot keys is no longer sampled, and tried again after a rest, each
// time twice as long; so is a site whose keys change all the time (the paper's NAT, section VI-E, lost 6 % by following them).
#include "specialize/heat.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace heddle {

namespace {

constexpr size_t most_keys = 16;
constexpr double least_share = 0.01; // of a key: less is not worth a compare in every packet's way
constexpr double better_by = 0.1;    // the share that other keys must have more
constexpr uint64_t least_samples = 256;
constexpr unsigned patience = 8; // times without hot keys, before a rest
constexpr unsigned change_weighs = 4, most_unrest = 16;
constexpr uint64_t enough_packets = 2000; // to know how many come to a site
constexpr double seldom_share = 0.02;
constexpr unsigned first_recount = 400, last_recount = 6400; // looks
constexpr unsigned first_rest = 16, longest_rest = 1024;     // looks

} // namespace

// Halves what is older than the new samples.
void SiteHeat::take_in() {
  for (const auto& old : heat_)
    if (old.second > 1) new_[old.first()] += old.second / 2;
  heat_ = std::exchange(new_, {});
  total_new_ = total_ = 0;
  for (const auto& key : heat_)
    total_ += key.second;
}

std::vector<HotKey> SiteHeat::hottest() const {
  std::vector<HotKey> keys;
  for (const auto& key : heat_)
    if (double(key.second) >= least_share * double(total_)) keys.push_back({key.first().str(), key.second});
  llvm::sort(keys, [](const HotKey& a, const HotKey& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  if (keys.size() > most_keys) keys.resize(most_keys);
  return keys;
}

double SiteHeat::share_of(const std::vector<HotKey>& keys) const {
  uint64_t in = 0;
  for (const HotKey& key : keys)
    in += heat_.lookup(key.key);
  return double(in) / double(total_);
}

void SiteHeat::choose(std::vector<HotKey> keys) {
  keys_ = std::move(keys);
  ++changes_;
}

void SiteHeat::rest(HeatVerdict why) {
  verdict_ = why;
  next_rest_ = next_rest_ == 0 ? first_rest : std::min(2 * next_rest_, longest_rest);
  resting_ = next_rest_;
  even_ = unrest_ = 0;
  heat_.clear();
  new_.clear();
  total_new_ = 0;
  choose({});
}

void SiteHeat::look(const llvm::StringMap<uint64_t>& sampled) {
  if (resting_ != 0) {
    if (--resting_ == 0) ++changes_;
    return;
  }
  for (const auto& key : sampled) {
    new_[key.first()] += key.second;
    total_new_ += key.second;
  }
  if (total_new_ < least_samples) return;
  take_in();
  std::vector<HotKey> best = hottest();
  double now = share_of(keys_);
  share_ = share_of(best);
  bool pays = share_ >= pays_at_;
  unrest_ -= unrest_ != 0;
  if (pays && share_ > now + better_by) {
    choose(std::move(best));
    unrest_ += change_weighs;
  } else if (!pays && !keys_.empty()) {
    choose({});
    unrest_ += change_weighs;
  } else if (!keys_.empty()) {
    share_ = now;
    if (unrest_ == 0) next_rest_ = 0; // what held for long is worth the next try
  }
  in_ = 0;
  for (const HotKey& key : keys_)
    in_ += heat_.lookup(key.key);
  verdict_ = keys_.empty() ? HeatVerdict::Even : HeatVerdict::Hot;
  even_ = keys_.empty() ? even_ + 1 : 0;
  if (unrest_ > most_unrest)
    rest(HeatVerdict::Churn);
  else if (even_ == patience)
    rest(HeatVerdict::Even);
}

void SiteReach::look(uint64_t packets, uint64_t reached) {
  if (resting_ != 0) {
    if (--resting_ == 0) ++changes_;
    return;
  }
  packets_ += packets;
  reached_ += reached;
  if (packets_ < enough_packets) return;
  seldom_ = double(reached_) < seldom_share * double(packets_);
  next_rest_ = next_rest_ == 0 ? first_recount : std::min(2 * next_rest_, last_recount);
  resting_ = next_rest_;
  packets_ = reached_ = 0;
  ++changes_;
}

} // namespace heddle
