// The plan: everything Heddle decided, in one JSON file a person can read and edit (docs/plan.schema.json).
#pragma once

#include "analysis/cut_graph.h"
#include "plan/cycle_shares.h"
#include "program/declarations.h"
#include "program/openings.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace heddle {

// A site: when control passes from `from` to `to` (blocks of one function, in one context), the packet has
// finished every stage below `stage` and may be suspended.
struct PlannedSite {
  uint32_t context = 0, from = 0, to = 0; // context index, BlockIds
  unsigned stage = 0;                     // of `to`; 1 is the first cut
  std::string function, at;
};

// An expensive load: what comes behind the block waits for memory (docs/hide.md).
struct PlannedLoad {
  uint32_t context = 0, block = 0;
  bool hidden = false; // a prefetch stands in the block, and the packet steps aside behind it
  unsigned into = 2;   // the level of cache that the prefetch fills
  unsigned lanes =
      0; // not 0: no prefetch; so many packets run the loop around it side by side (transform/lanes.h)
  // Not empty: nobody steps aside here. The prefetch stands where packets step aside for these other loads, numbers in BodyPlan::loads.
  std::vector<uint32_t> with;
  double accesses = 0, stall = 0; // per packet; cycles per access, simulated and modelled; 0: not known
  std::string reason;             // for taking it or leaving it
  std::string function, at;
};

struct PlannedStage {
  double cost = 0;      // predicted footprint S, in instruction-cache lines
  double largest = 0;   // likewise, of the largest piece that no cut may divide; not in the plan's file
  double heat = 0;      // instructions per packet
  double crossings = 0; // predicted suspensions per packet at the cut that ends it
  uint32_t blocks = 0;
  bool ordered = true; // packets pass it in packet order; false: only those of one key do
};

// A packet that has claimed a key enters the stages from `first` to `last` when no earlier one with the same key in flight
// has `last` or a lower one still to do. Packets that have claimed none count as having any. `claimed`: the last stage in which
// the key is claimed.
struct KeyRange {
  uint32_t key = 0; // claim_number()
  uint32_t first = 0, last = 0, claimed = 0;
  std::string name; // for people: "find_flow()"
};

// A window as the plan keeps it: enough to explain it without repeating the analysis.
struct PlannedWindow {
  std::string name, verdict, reason, would_free;
  double heat_share = 0;     // part of the packet's instructions between first and last access
  double cost = 0;           // footprint of what lies between, in instruction-cache lines
  double static_lines = 0;   // lines of all the code there, run or not
  uint64_t instructions = 0; // per packet, there
  // Windows that overlap hold more together than each of them. Of the packet's instructions, 0 to 1: the part
  // that no cut can divide and that this window lies in; the largest such part of the body if this window
  // alone were freed, and if it and all larger ones were. The last two for the 20 largest windows, else as it
  // is.
  double region_share = 0, freed_alone = 0, freed_with_larger = 0;
  std::vector<LocationAccess> accesses; // in control-flow order: the first and the last ones bound it
  // Locations that cannot be told apart share a row: those of one object with one extent, and those of all
  // the objects that the same accesses may reach.
  uint32_t locations = 1;
  std::vector<std::string> objects;
  std::vector<std::string> parts;     // of the first object: fields or offsets
  bool ran = true;                    // did a packet of the sample make any of the accesses?
  std::vector<SampledAccess> sampled; // first, last, first write and last write of these, by time
};

// A shared location that needs no window, and the relaxation that says so.
struct PlannedRelaxation {
  std::string name, verdict, reason;
};

// Cycles per packet that the models say a body takes (docs/model.md), in batches of so many packets.
struct PredictedCycles {
  uint32_t batch = 0;
  double original = 0, planned = 0;
};

struct BodyPlan {
  std::string body;   // heddle.body.N
  std::string source; // function and file:line of the loop
  std::vector<CutContext> contexts;
  std::vector<PlannedSite> sites;
  // All packets of a batch run in one function, without stacks of their own (transform/interleave.h). Sites may then lie
  // inside a stage that is not ordered, behind hidden loads.
  bool interleaved = false;
  uint32_t least_batch = 0; // of fewer packets, each runs to its end by itself
  std::vector<PlannedLoad> loads;
  std::vector<DeferredCall> deferred;   // calls for output that are kept with the packet
  std::vector<ScratchVariable> scratch; // variables of which each packet in flight has a copy
  bool own_errno = false;               // likewise errno
  std::vector<KeyRange> keys;           // those whose locations span stages
  std::vector<uint32_t> gates;          // BlockIds at whose beginning a packet becomes alone
  std::vector<PlannedStage> stages;     // at least one
  std::vector<PlannedWindow> windows;   // largest first
  std::vector<PlannedRelaxation> relaxed;
  uint32_t shared_locations = 0;
  uint64_t packets = 0;    // in the sample
  double instructions = 0; // per packet
  double footprint = 0;    // of the whole body, in instruction-cache lines
  double static_lines = 0; // of all its code
  double window_heat = 0;  // instructions per packet inside any window
  double window_lines = 0; // static lines inside any window
  double freed_rare =
      0; // largest piece, 0 to 1, if all windows that no packet of the sample touches were freed
  double cycles_saved = 0; // per packet, predicted, by the cuts alone; only the sign and the order matter
  std::vector<PredictedCycles> predicted; // by batch
  CycleShares cycles_before,
      cycles_after; // likewise, of the batch that was planned for: the program as it is, and the plan
};

struct Plan {
  std::string program;                   // Program::id
  std::string checked;                   // decisions_digest() when `heddle plan` found every cut legal
  std::string policy;                    // see policy.h
  std::string footprint_model = "batch"; // or "per-visit"
  double budget = 0;                     // instruction-cache lines
  double icache_lines = 0;               // of the cache that the budget is a share of
  unsigned batch = 32;
  std::string host;                     // whose figures the decisions rest on, in words
  double rare_share = 0;                // at most this share of the packets meets rare code; 0: none does
  std::vector<std::string> relaxations; // those that were switched on
  std::string trust = "proven";         // or "declared"
  Declarations declarations;            // all; `trust` says which were used
  Openings openings;                    // all block numbers below are those of the program after these
  std::vector<BodyPlan> bodies;
  std::vector<Remark> remarks;

  bool stages_anything() const; // some body has a site
  bool needs_stacks() const;    // and is not interleaved
};

// Of all that decides whether the cuts are legal: the build, the openings, the relaxations, the declarations, the
// contexts and the sites.
std::string decisions_digest(const Plan& plan);

llvm::Error write_plan(const Plan& plan, llvm::StringRef path);
// The fields of an object that the caller has opened.
void write_plan(const Plan& plan, llvm::json::OStream& json);
// Errors: not a plan, unknown or missing fields (named).
llvm::Expected<Plan> read_plan(llvm::StringRef path);
// Is it a plan for this build of the program? `path`: where it was read.
llvm::Error check_build(const Plan& plan, llvm::StringRef program_id, llvm::StringRef path);

// "6 stages, 14 sites", or that there are none.
std::string summary_of(const Plan& plan);
// The fields "stages", "sites" and "hidden_loads" of an object that the caller has opened.
void write_size(const Plan& plan, llvm::json::OStream& json);
// "trust declared, with 2 of 2 declarations of heddle.toml".
std::string trust_of(const Plan& plan);
// For people: stages, sites.
void print_plan(const Plan& plan, llvm::raw_ostream& out);
// For the program's owner: what stands in the way of a better plan, largest window first.
void explain_plan(const Plan& plan, llvm::raw_ostream& out);

} // namespace heddle
