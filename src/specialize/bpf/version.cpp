// How a version is made. The bitcode is optimised as clang did it, so that helpers are called by number and pointers are in
// registers; the sites are planned; the program gets its second body and the checks between the two (fallback.h); each planned
// site of the first body is rewritten; and LLVM optimises again, which is where constants propagate and dead code goes.
//
// Where checks are needed. A specialized read stands for the table as it was at the last check before it. So between that
// check and the read nothing may happen that others could see or could have changed (sites.h: meets_others): then the reads might
// as well have happened at the check, and the packet sees tables as the original program could have seen them, one after
// another, in the order of time. Where something of the kind may have happened, the read gets a check of its own. A key that
// lies in others' memory is copied first, so that the check comes behind its reading. What a program reads of an array's element
// later than it looked it up, it reads as it is by then; such sites are left alone where anything happens in between, checked or not,
// because behind a check that fails the read would still find what was inlined. Elements of hash tables and tries are replaced, not
// changed. Where hot keys stand in front of a lookup, the lookup itself may follow, and meets others.
#include "specialize/bpf/version.h"

#include "specialize/bpf/compile.h"
#include "specialize/bpf/linked_code.h"
#include "specialize/bpf/load.h"
#include "specialize/bpf/own_map.h"
#include "specialize/bpf/sections.h"
#include "specialize/fallback.h"
#include "specialize/inject_branch.h"
#include "specialize/inline_table.h"
#include "specialize/ways.h"
#include "support/diagnostic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <optional>

namespace heddle {

using namespace llvm;

namespace {

enum class Action { Eliminate, Inline, Index, Hot, Fields, None };

struct Site {
  CallInst* lookup;
  const Table* table;
  Action action;
  HotLookups hot = {};                  // of Action::Hot
  const IndexMaps* index = nullptr;     // of Action::Index
  std::vector<NarrowField> narrow = {}; // not empty: a branch in front, where the lookup may follow
  std::string costs = {};               // what is expected of this way and of others
};

struct SampledSite {
  CallInst* lookup;
  const Sampler::Site* site;
};

// What reads the element that the lookup found; nothing where its address goes where that is not seen.
std::optional<SmallPtrSet<const Instruction*, 8>> reads_of(const CallInst& lookup) {
  SmallPtrSet<const Instruction*, 8> reads;
  SmallVector<const Value*, 8> todo{&lookup};
  while (!todo.empty())
    for (const User* user : todo.pop_back_val()->users()) {
      if (isa<ICmpInst>(user)) continue;
      if (isa<GetElementPtrInst>(user))
        todo.push_back(user);
      else if (isa<LoadInst, CallInst>(user))
        reads.insert(cast<Instruction>(user));
      else
        return std::nullopt;
    }
  return reads;
}

// Copies the lookup's key to the stack, if it may lie where others write.
void keep_key(CallInst& lookup, uint32_t bytes) {
  Value* key = lookup.getArgOperand(1);
  if (is_own_memory(*key, SmallPtrSet<const Value*, 1>())) return;
  IRBuilder<> entry(&*lookup.getFunction()->getEntryBlock().begin());
  AllocaInst* copy = entry.CreateAlloca(entry.getInt8Ty(), entry.getInt32(bytes), "key");
  copy->setAlignment(Align(8));
  IRBuilder<> builder(&lookup);
  builder.CreateMemCpy(copy, Align(8), key, key->getPointerAlignment(lookup.getModule()->getDataLayout()),
                       bytes);
  lookup.setArgOperand(1, copy);
}

struct CountedSite {
  CallInst* lookup;
  const Sampler::Reached* site;
  bool keys; // which ones come, too
};

// Which sites are specialized, and where checks stand.
class Plan {
public:
  Plan(Function& function, const VersionRequest& request, Version& version)
      : function_(function), request_(request), version_(version) {}

  Error run(const std::vector<MapUses>& maps) {
    for (const MapUses& uses : maps)
      if (Error error = choose(uses)) return error;
    limit_ways();
    for (const Site& site : sites)
      if (stands_before(site) && site.action != Action::Eliminate)
        keep_key(*site.lookup, site.table->key_bytes);
    while (!place_checks())
      ;
    for (const Site& site : sites)
      tell_of_checks(site);
    return Error::success();
  }

  std::vector<Site> sites;
  std::vector<SampledSite> sampled;
  std::vector<CountedSite> counted;
  std::vector<Instruction*> checks;

private:
  bool enabled(StringRef pass) const { return !request_.disabled.contains(pass); }

  void remark(StringRef code, const CallInst& lookup, const Twine& what, StringRef hint) {
    version_.remarks.push_back({code.str(), place_of(lookup), what.str(), hint.str()});
  }

  Error choose(const MapUses& uses) {
    auto found = request_.snapshot.tables.find(uses.name);
    if (found == request_.snapshot.tables.end()) return Error::success();
    const Table& table = found->second;
    for (const auto& [number, lookup] : enumerate(uses.lookups)) {
      std::string name = uses.name + "#" + std::to_string(number);
      if (lookup->getFunction()->hasSection() && lookup->getFunction() != &function_)
        continue; // another program's
      if (lookup->getFunction() != &function_) {
        remark("in-function", *lookup, "the lookup in " + uses.name + " is in a function of its own",
               "inline it (static __always_inline)");
        continue;
      }
      auto seldom = is_seldom(*lookup, table, name);
      if (!seldom) return seldom.takeError();
      if (*seldom) {
        remark("seldom-reached", *lookup, "few packets come to the lookup in " + uses.name,
               "nothing to do; they are counted again from time to time");
      } else if (table.complete && table.entries.empty()) {
        if (enabled("table-elimination")) sites.push_back({lookup, &table, Action::Eliminate});
      } else if (!table.written.empty()) {
        choose_written(*lookup, table);
      } else if (is_small(table)) {
        choose_small(*lookup, table, name);
      } else if (Error error = choose_large(*lookup, table, name)) {
        return error;
      }
    }
    return Error::success();
  }

  // Also has the packets counted that come to the lookup, where that is to be known, and the keys that they bring to a small table.
  Expected<bool> is_seldom(CallInst& lookup, const Table& table, const std::string& name) {
    if (!request_.sampler || !enabled("hot-keys")) return false;
    bool keys = is_small(table) && table.entries.size() > 1 && table.written.empty();
    auto site = request_.sampler->reached(name, keys ? table.key_bytes : 0);
    if (!site) return site.takeError();
    if ((*site)->reach.counting()) counted.push_back({&lookup, *site, keys});
    return (*site)->reach.is_seldom();
  }

  // Compares, an index, or the table itself.
  void choose_small(CallInst& lookup, const Table& table, const std::string& name) {
    Outcomes outcomes;
    if (request_.sampler)
      if (const Sampler::Reached* site = request_.sampler->known_reached(name))
        outcomes = outcomes_of(table, site->keys);
    const HostCosts& costs = request_.costs;
    double as_is = lookup_cost(costs, table), compares = compares_cost(costs, table, outcomes);
    auto index = request_.snapshot.indexes.find(table.name);
    bool indexed = index != request_.snapshot.indexes.end() && enabled("index-table");
    double in_index = indexed ? index_cost(costs, index->second->index, table.key_bytes) : 0;
    std::string expected = formatv("compares {0:f1} ns", compares);
    if (indexed) expected += formatv(", an index {0:f1} ns", in_index);
    expected += formatv(", the lookup {0:f1} ns; ", as_is);
    expected += outcomes.known() ? formatv("its outcomes have {0:f1} bits", outcomes.bits()).str()
                                 : "taken as foreseeable, not sampled";
    Site site{&lookup, &table, Action::None};
    site.costs = expected;
    if (enabled("inline-table") && pays(compares, as_is) && (!indexed || compares <= in_index)) {
      site.action = Action::Inline;
    } else if (indexed && pays(in_index, as_is)) {
      site.action = Action::Index;
      site.index = index->second.get();
    } else if (enabled("inline-table") || indexed) {
      remark("cheap-lookup", lookup, "the lookup in " + table.name + " is as good: " + expected,
             "nothing to do");
    }
    add(std::move(site));
  }

  // The program writes to what it finds, so what is found has to be the table's own element.
  void choose_written(CallInst& lookup, const Table& table) {
    remark(
        "data-plane-writes", lookup,
        formatv("the program changes {0} of {1} bytes of {2}'s values: a lookup that finds something stays",
                table.written_bytes(), table.value_bytes, table.name)
            .str(),
        "keep what the program changes in a table of its own");
    Site chosen{&lookup, &table, Action::None, {}, nullptr, choose_branch(lookup, table)};
    if (folds_fields(lookup, table)) chosen.action = Action::Fields;
    add(std::move(chosen));
  }

  bool folds_fields(const CallInst& lookup, const Table& table) const {
    return table.complete && enabled("constant-fields") && count_deciding_fields(lookup, table) != 0;
  }

  void add(Site chosen) {
    if (chosen.action != Action::None || !chosen.narrow.empty()) sites.push_back(std::move(chosen));
  }

  Error choose_large(CallInst& lookup, const Table& table, const std::string& name) {
    const auto& snapshot = request_.snapshot;
    if (auto index = snapshot.indexes.find(table.name);
        index != snapshot.indexes.end() && enabled("index-table")) {
      Site chosen{&lookup, &table, Action::Index, {}, index->second.get()};
      chosen.costs = formatv("{0:f1} ns, the lookup {1:f1} ns",
                             index_cost(request_.costs, index->second->index, table.key_bytes),
                             lookup_cost(request_.costs, table));
      sites.push_back(std::move(chosen));
      return Error::success();
    }
    if (auto why = snapshot.no_index.find(table.name); why != snapshot.no_index.end())
      remark(why->second.code, lookup, table.name + " is not indexed: " + why->second.what, why->second.hint);
    const Sampler::Site* site = nullptr;
    if (request_.sampler && may_be_sampled(lookup, table)) {
      auto made =
          request_.sampler->site(name, table.name, table.key_bytes, hot_keys_pay_at(request_.costs, table));
      if (!made) return made.takeError();
      site = *made;
      if (site->heat.sampling()) sampled.push_back({&lookup, site});
    }
    Site chosen{&lookup, &table, Action::None, {}, nullptr, choose_branch(lookup, table)};
    auto hot = snapshot.hot.find(name);
    if (site && hot != snapshot.hot.end() && !hot->second.known.empty()) {
      chosen.action = Action::Hot;
      chosen.hot = hot->second;
      llvm::sort(chosen.hot.known, [](const auto& a, const auto& b) { return a.count > b.count; });
      chosen.costs =
          formatv("{0:f1} ns in the mean, the lookup {1:f1} ns",
                  hot_keys_cost(request_.costs, table, hot->second), lookup_cost(request_.costs, table));
    } else if (folds_fields(lookup, table)) {
      chosen.action = Action::Fields;
    } else {
      say_why_not(lookup, table, site);
    }
    add(std::move(chosen));
    return Error::success();
  }

  std::vector<NarrowField> choose_branch(const CallInst& lookup, const Table& table) {
    if (!enabled("branch-injection") || !table.complete || table.kind == TableKind::Array) return {};
    auto narrow = narrow_fields(table);
    if (narrow.empty())
      remark("no-narrow-field", lookup, "each part of the keys of " + table.name + " has many values",
             "nothing to do; a part of few values tells which packets find nothing");
    return narrow;
  }

  bool may_be_sampled(const CallInst& lookup, const Table& table) {
    if (!enabled("hot-keys")) return false;
    if (request_.excluded.contains(table.name)) {
      remark("excluded", lookup, table.name + " is excluded from sampling", "leave out --exclude-map");
      return false;
    }
    if (table.kind != TableKind::Array) return true;
    remark("cheap-lookup", lookup, "a lookup in the array " + table.name + " costs no more than compares",
           "nothing to do");
    return false;
  }

  void say_why_not(const CallInst& lookup, const Table& table, const Sampler::Site* site) {
    HeatVerdict verdict = site ? site->heat.verdict() : HeatVerdict::Unknown;
    std::string share = formatv("{0:f0} %", site ? 100 * site->heat.share() : 0.0);
    if (verdict == HeatVerdict::Even)
      remark("no-hot-keys", lookup, "the hottest keys of " + table.name + " are " + share + " of its lookups",
             "nothing to do; it is sampled again from time to time");
    else if (verdict == HeatVerdict::Churn)
      remark("churn", lookup, "the hottest keys of " + table.name + " change all the time",
             "nothing to do; it is sampled again from time to time");
    else
      remark("too-many-entries", lookup,
             table.name + " has " + (table.complete ? std::to_string(table.entries.size()) : "too many") +
                 " entries",
             "smaller tables become code, and hot keys of larger ones once they are known");
  }

  static uint64_t cases_of(const Site& site) {
    if (site.action == Action::Inline) return site.table->entries.size() + 1;
    return site.action == Action::Hot ? site.hot.known.size() + 1 : 1;
  }

  static double share_of_hot(const Site& site) {
    uint64_t in = 0;
    for (const KnownLookup& known : site.hot.known)
      in += known.count;
    return double(in) / double(std::max<uint64_t>(in + site.hot.others, 1));
  }

  // The path with too many ways: with hot keys on it, or with whole small tables alone, whose cases are more often alike behind and
  // may have as many again for each. Of the first kind the one with most sites of hot keys is looked at.
  Ways too_many_ways() const {
    constexpr unsigned preferred = 6; // bits that a site of hot keys has before another
    std::vector<Cases> hot, all;
    for (const Site& site : sites) {
      all.push_back({site.lookup, cases_of(site)});
      hot.push_back({site.lookup, cases_of(site) << (site.action == Action::Hot ? preferred : 0)});
    }
    Ways most = most_ways(function_, hot);
    most.count = 1;
    bool any_hot = false;
    for (size_t at : most.sites) {
      most.count = SaturatingMultiply(most.count, all[at].count);
      any_hot |= sites[at].action == Action::Hot;
    }
    if (any_hot && most.count > request_.most_ways) return most;
    most = most_ways(function_, all);
    return most.count > SaturatingMultiply(request_.most_ways, request_.most_ways) ? most : Ways{};
  }

  // Takes compares away until there are few enough ways through them: the hot key that is met least, and the site's others where
  // they no longer pay; where there is none, the table that has most cases.
  void limit_ways() {
    std::map<const Site*, uint64_t> before; // cases, of those that have lost some
    for (Ways most = too_many_ways(); most.count > 1; most = too_many_ways()) {
      Site& site = least_worth(most);
      before.try_emplace(&site, cases_of(site));
      if (site.action == Action::Hot) {
        site.hot.others += site.hot.known.back().count;
        site.hot.known.pop_back();
        if (share_of_hot(site) >= hot_keys_pay_at(request_.costs, *site.table)) continue;
        site.hot.known.clear();
      }
      auto index = request_.snapshot.indexes.find(site.table->name);
      bool indexed =
          site.action == Action::Inline && index != request_.snapshot.indexes.end() && enabled("index-table");
      site.action = indexed ? Action::Index : Action::None;
      if (indexed) site.index = index->second.get();
    }
    for (auto [site, count] : before) {
      uint64_t left = site->action == Action::Index ? 0 : cases_of(*site) - 1;
      std::string what = formatv(
          "{0} of {1} cases of {2} are compared with: there would be too many ways through all compares",
          left, count - 1, site->table->name);
      remark("too-many-ways", *site->lookup, what,
             "nothing to do, or let the verifier follow more: --most-ways");
    }
    erase_if(sites, [](const Site& site) { return site.action == Action::None && site.narrow.empty(); });
  }

  Site& least_worth(const Ways& most) {
    Site* least = nullptr;
    auto worth = [](const Site& site) { // of its last key: the share of the lookups that bring it
      uint64_t count = site.hot.known.back().count, in = 0;
      for (const KnownLookup& known : site.hot.known)
        in += known.count;
      return double(count) / double(std::max<uint64_t>(in + site.hot.others, 1));
    };
    for (size_t at : most.sites) {
      Site& site = sites[at];
      if (cases_of(site) == 1) continue;
      bool hot = site.action == Action::Hot, least_hot = least && least->action == Action::Hot;
      bool is_less = hot == least_hot
                         ? (hot ? worth(site) < worth(*least) : !least || cases_of(site) > cases_of(*least))
                         : hot;
      if (is_less) least = &site;
    }
    return *least;
  }

  // False if a site had to be given up: then all has to be seen anew.
  bool place_checks() {
    inlined_.clear();
    of_lookup_.clear(); // its values point into `sites`
    for (const Site& site : sites) {
      of_lookup_[site.lookup] = &site;
      if (reads_no_table(site)) inlined_.insert(site.lookup);
    }
    stale_behind_.clear();
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock& block : function_) {
        bool stale = walk(block, stale_before(block), nullptr);
        if (stale == stale_behind_.lookup(&block)) continue;
        stale_behind_[&block] = stale;
        changed = true;
      }
    }
    checks.clear();
    for (BasicBlock& block : function_)
      walk(block, stale_before(block), &checks);
    auto late = find_if(sites, [&](const Site& site) { return reads_late(site); });
    if (late == sites.end()) return true;
    version_.remarks.push_back({"read-later", place_of(*late->lookup),
                                late->table->name + " is read after something that others may see",
                                "read the element's fields right after the lookup"});
    sites.erase(late);
    return false;
  }

  bool stale_before(BasicBlock& block) const {
    return any_of(predecessors(&block), [&](BasicBlock* before) { return stale_behind_.lookup(before); });
  }

  static bool reads_no_table(const Site& site) {
    switch (site.action) {
    case Action::Eliminate:
    case Action::Inline:
      return true;
    case Action::Index: // keys of unusual length are left for the table
      return site.table->kind == TableKind::Exact;
    case Action::Hot:
    case Action::Fields:
    case Action::None:
      return false;
    }
    return false;
  }

  // Whether code for what the table held stands in front of the lookup, or in its place.
  static bool stands_before(const Site& site) {
    return (site.action != Action::Fields && site.action != Action::None) || !site.narrow.empty();
  }

  // Whether anything has met others since the last check, at the end of the block. Notes the checks in `found`.
  bool walk(BasicBlock& block, bool stale, std::vector<Instruction*>* found) const {
    for (Instruction& instruction : block) {
      if (const Site* site = of_lookup_.lookup(&instruction)) {
        bool fields = site->action == Action::Fields;
        if (found && stands_before(*site) && (stale || !enabled("guard-elision")))
          found->push_back(&instruction);
        if (found && fields) found->push_back(instruction.getNextNode());
        stale = !reads_no_table(*site) && !fields; // the lookup itself may follow
      } else {
        stale |= meets_others(instruction, inlined_);
      }
    }
    return stale;
  }

  // Which sites have no check of their own, and why others have.
  void tell_of_checks(const Site& site) {
    if (!enabled("guard-elision")) return;
    if (is_contained(checks, site.lookup) || site.action == Action::Fields)
      remark("guard-kept", *site.lookup,
             "the table " + site.table->name + " is read after something that others may see",
             "nothing to do; a lookup right at the entry, or right behind others, needs no check of its own");
    else
      version_.performed.push_back(
          {"guard-elision", site.table->name, place_of(*site.lookup), "no check of its own"});
  }

  // Whether an array's element is read when something may have met others since it was looked up.
  bool reads_late(const Site& site) const {
    if (site.table->kind != TableKind::Array) return false;
    auto reads = reads_of(*site.lookup);
    if (!reads) return true;
    DenseMap<const BasicBlock*, bool> met_behind;
    bool late = false;
    for (bool changed = true; changed && !late;) {
      changed = false;
      for (BasicBlock& block : function_) {
        bool met =
            any_of(predecessors(&block), [&](BasicBlock* before) { return met_behind.lookup(before); });
        for (Instruction& instruction : block) {
          late |= met && reads->contains(&instruction);
          met = &instruction != site.lookup && (met || meets_others(instruction, inlined_));
        }
        changed |= met != met_behind.lookup(&block);
        met_behind[&block] = met;
      }
    }
    return late;
  }

  Function& function_;
  const VersionRequest& request_;
  Version& version_;
  SmallPtrSet<const Value*, 8> inlined_;
  DenseMap<const Instruction*, const Site*> of_lookup_;
  DenseMap<const BasicBlock*, bool> stale_behind_;
};

// Constants that LLVM made (tables of switches) must not move those that were there.
void set_new_constants_apart(Module& module, const StringSet<>& before) {
  for (GlobalVariable& variable : module.globals())
    if (variable.isConstant() && variable.hasInitializer() && !variable.hasSection() &&
        !before.contains(variable.getName()))
      variable.setSection(constants_section);
}

void rewrite(const Site& site, const LinkedCode& linked, bool fold, Version& version) {
  const Table& table = *site.table;
  std::string where = place_of(*site.lookup), entries = std::to_string(table.entries.size());
  switch (site.action) {
  case Action::Eliminate:
    eliminate_lookup(*site.lookup);
    version.performed.push_back({"table-elimination", table.name, where, "empty"});
    return;
  case Action::Inline:
    inline_lookup(*site.lookup, *site.lookup->getArgOperand(1), table, constants_section);
    version.performed.push_back({"inline-table", table.name, where, entries + " entries: " + site.costs});
    return;
  case Action::Index: {
    // Of prefixes, keys of unusual length find what the table itself has by then.
    unsigned folded = fold && table.kind == TableKind::Exact ? fold_constant_fields(*site.lookup, table) : 0;
    if (folded != 0)
      version.performed.push_back(
          {"constant-fields", table.name, where, std::to_string(folded) + " reads, " + entries + " entries"});
    linked.find_in_index(*site.lookup, *site.index);
    version.performed.push_back(
        {"index-table", table.name, where,
         formatv("{0} entries in {1} KiB: {2}", entries, divideCeil(site.index->bytes(), 1024), site.costs)});
    return;
  }
  case Action::Hot: {
    add_hot_keys(*site.lookup, *site.lookup->getArgOperand(1), table, site.hot, constants_section);
    uint64_t in = 0;
    for (const KnownLookup& known : site.hot.known)
      in += known.count;
    std::string share = formatv("{0:f0} %", 100.0 * double(in) / double(in + site.hot.others));
    version.performed.push_back(
        {"hot-keys", table.name, where,
         std::to_string(site.hot.known.size()) + " keys, " + share + " of the lookups: " + site.costs});
    return;
  }
  case Action::Fields: {
    unsigned folded = fold_constant_fields(*site.lookup, table);
    version.performed.push_back(
        {"constant-fields", table.name, where, std::to_string(folded) + " reads, " + entries + " entries"});
    return;
  }
  case Action::None:
    return;
  }
}

// Behind what else there is in front of the lookup.
void branch(const Site& site, Version& version) {
  if (site.narrow.empty()) return;
  uint64_t bytes = 0;
  for (const NarrowField& field : site.narrow)
    bytes += field.bytes;
  version.performed.push_back(
      {"branch-injection", site.table->name, place_of(*site.lookup),
       formatv("{0} of {1} bytes of the key have few values", bytes, site.table->key_bytes)});
  inject_branch(*site.lookup, *site.lookup->getArgOperand(1), site.narrow);
}

// The second body, the checks, the samples, and what becomes of each site.
Error specialize(Function& function, const Plan& plan, const VersionRequest& request, OwnMaps& own,
                 Version& version) {
  Module& module = *function.getParent();
  auto linked = LinkedCode::link(function, own);
  if (!linked) return linked.takeError();
  for (const CountedSite& counted : plan.counted) {
    linked->count(*counted.lookup, *counted.site);
    if (counted.keys) linked->record(*counted.lookup, counted.site->sketch);
  }
  for (const SampledSite& sampled : plan.sampled) {
    linked->record(*sampled.lookup, sampled.site->sketch);
    version.performed.push_back({"sampling", sampled.site->map, place_of(*sampled.lookup),
                                 formatv("{0:f2} % of the packets", request.sampler->percent())});
  }

  Type* number = Type::getInt64Ty(module.getContext());
  auto* guard = new GlobalVariable(module, number, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                                   ConstantInt::get(number, 0), "heddle_epoch");
  guard->setSection(guard_section);
  auto made_for = make_own_map("heddle_made_for", sizeof(uint64_t),
                               [&](char* at) { memcpy(at, &request.snapshot.epoch, sizeof(uint64_t)); });
  if (!made_for) return made_for.takeError();
  version.made_for = std::move(*made_for);
  auto epoch = [&](IRBuilder<>& builder) -> Value* {
    return builder.CreateLoad(number, own.value(builder, version.made_for.get()), /*isVolatile=*/true);
  };
  auto wanted = [&](IRBuilder<>& builder) { return linked->wants_sample(builder, *request.sampler); };
  Detour detour;
  if (!plan.sampled.empty() || !plan.counted.empty()) detour = {linked->sampled(), wanted};
  auto missed = [&](IRBuilder<>& builder) { linked->count_one(builder, request.missed); };
  add_fallback(function, {guard, epoch, missed}, plan.checks, detour);
  version.checks = plan.checks.size();
  for (const Site& site : plan.sites) {
    rewrite(site, *linked, !request.disabled.contains("constant-fields"), version);
    branch(site, version);
  }
  return Error::success();
}

// Errors: Rejected, where LLVM refuses the code, or lays out global variables in another way.
Expected<std::string> compile(BpfCompiler& compiler, bool rewritten, const StringSet<>& variables,
                              const DataSections& layout, Stopwatch& stopwatch) {
  if (rewritten) {
    stopwatch.begin("optimize");
    compiler.optimize_again();
  }
  stopwatch.begin("emit");
  set_new_constants_apart(compiler.module(), variables);
  auto object = compiler.emit();
  if (!object) return object;
  auto now = data_sections_of(*object);
  if (!now) return now.takeError();
  if (*now != layout) return make_error<Rejected>("data-layout: global variables would lie elsewhere");
  return object;
}

} // namespace

bool same_tables(const Snapshot& one, const Snapshot& other) {
  auto same = [](const auto& known, const auto& now) {
    return known.key == now.key && known.value == now.value;
  };
  auto same_hot = [&](const auto& site) {
    auto found = other.hot.find(site.first());
    if (found == other.hot.end()) return false;
    const auto &known = site.second.known, &now = found->second.known;
    return std::equal(known.begin(), known.end(), now.begin(), now.end(), same);
  };
  return one.tables == other.tables && one.frozen == other.frozen && one.hot.size() == other.hot.size() &&
         all_of(one.hot, same_hot);
}

bool is_small(const Table& table) {
  constexpr size_t most_exact = 16, most_prefixes = 12;
  return table.complete &&
         table.entries.size() <= (table.kind == TableKind::Lpm ? most_prefixes : most_exact);
}

Expected<Version> make_version(const VersionRequest& request) {
  request.stopwatch.begin("rewrite");
  auto layout = data_sections_of(request.object.bytes);
  if (!layout) return layout.takeError();
  static const StringMap<std::string> none;
  auto prepared =
      request.prepared.get(request.object, *layout,
                           request.disabled.contains("frozen-constants") ? none : request.snapshot.frozen);
  if (!prepared) return prepared.takeError();
  LLVMContext context;
  auto compiler = BpfCompiler::open((*prepared)->bitcode, context, request.object.path);
  if (!compiler) return compiler.takeError();
  Module& module = compiler->module();
  Function* function = module.getFunction(request.function);
  if (!function || function->isDeclaration())
    return diagnose("its bitcode has no function " + request.function, "compile it again",
                    request.object.path);

  Version version;
  if (unsigned folded = (*prepared)->folded)
    version.performed.push_back({"frozen-constants", ".rodata", "", std::to_string(folded) + " reads"});

  Plan plan(*function, request, version);
  OwnMaps own;
  if (Error error = plan.run(find_map_uses(module))) return std::move(error);
  bool rewritten = !plan.sites.empty() || !plan.sampled.empty() || !plan.counted.empty();
  if (!rewritten && version.performed.empty()) return version;
  if (rewritten) {
    if (Error error = specialize(*function, plan, request, own, version)) return std::move(error);
    if (verifyModule(module, &errs()))
      return make_error<Rejected>("LLVM finds the rewritten program malformed");
  }
  std::string code;
  raw_string_ostream out(code);
  WriteBitcodeToFile(module, out);
  if (code != request.last_code.rewritten) {
    auto object = compile(*compiler, rewritten, (*prepared)->variables, *layout, request.stopwatch);
    if (!object) return object.takeError();
    request.last_code = {std::move(code), std::move(*object)};
  }
  version.object = request.last_code.object;
  if (Error error = own.connect(version.object)) return std::move(error);
  return version;
}

} // namespace heddle
