// What the planner needs to know about one packet body, free of LLVM's IR: the condensed control flow, the
// shared locations with the places that touch them, and what each place costs.
#pragma once

#include "support/pooled_text.h"

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// Packets of the sample, spread over all of it, by which lines are told apart: which ones ran a line, and so which lines of two nodes the
// same packet runs.
constexpr unsigned most_witnesses = 128;
using Witnesses = std::bitset<most_witnesses>;

struct LineUse {
  uint32_t line = 0; // below CutGraph::lines
  Witnesses ran;     // maybe none, of a line that only other packets ran
};

// A node is one block of the body in one context (the chain of opened calls that leads to it). A call that
// is not opened is part of the block that makes it, with all that its callees touch.
struct CutNode {
  uint32_t context = 0;     // index into CutGraph::contexts
  uint32_t block = 0;       // BlockId
  std::string function, at; // for people: function and file:line
  uint64_t visits = 0;      // in the sample, of the block with everything closed below it
  std::vector<LineUse>
      lines;       // s(B): the instruction-cache lines that the sample ran here, closed callees included
  double heat = 0; // h(B): instructions per packet, closed callees included
  double static_lines = 0; // instruction-cache lines of all its code, run or not
  // Rare code: a packet enters it alone, all before it ended, and stays alone to its end (docs/design.md, "Rare
  // paths"). No site lies at its edges. `rare_inside`: common code with a closed call that may enter rare code.
  bool rare = false, rare_inside = false;
  // What comes behind it waits for memory (src/program/expensive.h): where the load stands.
  bool expensive = false;
  std::string load_at;
  uint32_t opened_load = UINT32_MAX; // index into Openings::loads; none: annotated
};

struct CutEdge {
  uint32_t from = 0, to = 0; // node indices; may form cycles
  // Where a site on this edge stands: between two blocks of one context's function. Not always the blocks of
  // the nodes: the way back from an opened call runs from the callee's last block, and the site stands in
  // the caller, between the block of the call and the one after it.
  bool site_possible = true; // false: no place for a site (into an opened call, into a landing pad)
  uint32_t site_context = 0, site_from = 0, site_to = 0; // context index, BlockIds
  double crossings = 0;                                  // per packet, from the sample
};

// Context 0 is the body itself; the others are opened calls.
struct CutContext {
  uint32_t parent = 0;     // context of the caller
  uint32_t call_block = 0; // BlockId of the block that ends with the opened call
  std::string function;    // callee, by its name in the module
  bool joins = true;       // can its code become part of the body's function? Not in the plan's file
};

struct LocationAccess {
  uint32_t node = 0;
  bool write = false;
  PooledText function, at; // innermost function and file:line of the access itself
  bool rare = false;       // made by a packet that is alone by then; not the node's common code
  bool receives = false;   // of "received-ahead": takes a datagram; the others are output
  // Of "keyed": on every way here the packet has claimed the record as fresh; a rare access, after a claim.
  bool fresh = false, claimed = false;
};

// An access that packets of the sample made, and how far into the packet: the part of its instructions that
// ran before, 0 to 1, on average.
struct SampledAccess {
  double when = 0;
  bool write = false;
  std::string function, at;
};

// Sorts by time and keeps the first and the last access, and the first and the last write.
void keep_bounds(std::vector<SampledAccess>& sampled);

// A value of the program, by the instruction that makes it.
struct ValuePlace {
  uint32_t block = 0, instruction = 0; // BlockId; which of the block's instructions, from 0
  uint32_t claimed_in = 0;             // the block that a claim of it would divide
  std::string function, at;            // for people
};

struct SharedLocation {
  std::string name; // for the program's owner: "session_t.qer.tokens (heap at session.c:210 in add_session)"
  std::vector<LocationAccess> accesses;
  std::string object; // what it is part of, under the same words
  std::vector<std::string>
      parts; // the ranges of bytes that these accesses concern: "session_t.qer.tokens", "+16"
  // Did a packet of the sample make any of the accesses? True where that is not known.
  bool ran = true;
  std::vector<SampledAccess> sampled; // the first and the last of these, and the first and the last write
  // The relaxation that frees it (relaxation_names()), or "window". A
  // window is that of the common accesses. "rare-path": only rare code writes it; common accesses need no
  // window. In both cases common accesses must not lie in stages before that of a rare access that conflicts.
  // "received-ahead": no output may lie in a stage before that of a receive. "keyed": packets that have claimed
  // different values of the key do not meet here (CutKey).
  std::string verdict;
  uint32_t key = 0;   // of "keyed": index into CutGraph::keys
  std::string reason; // why, in one sentence with source lines
  // For a window, and where a key was inferred: which relaxation would free it, and what stands in its way.
  std::string would_free;
  // Of a window: the values through which alone packets reach it, if they would make it keyed (analysis/inferred_keys.h).
  std::vector<ValuePlace> roots;
};

// A call for output that is kept with its packet and made in packet order.
struct DeferredCall {
  uint32_t block = 0, call = 0; // BlockId; which of the block's calls, from 0
  std::string callee, at;       // the function of the C library, and the place of the call
};

// A field of the packet body's environment that leads to a variable, at an offset in it.
struct ScratchField {
  uint32_t field = 0, offset = 0; // bytes
};

// A variable of which every packet in flight has a copy of its own (analysis/scratch.h).
struct ScratchVariable {
  std::string name; // in the module; of a variable of the function that holds the packet loop, for people
  bool global =
      false; // a variable of the program or of a thread, which code names; others are found by `fields`
  uint32_t bytes = 0, alignment = 1;
  // A packet's copy begins as what the variable is in front of the packet loop. Else it begins as what an earlier packet left.
  bool begins_as_before = false;
  std::vector<ScratchField> fields;
};

// A key, and the nodes at whose end packets claim it, or in whose closed calls they may. They lie in stages below those
// of all accesses to its locations but the fresh ones, if these locations are not each in one stage.
struct CutKey {
  uint32_t number = 0;          // claim_number()
  std::string name;             // for people
  std::vector<uint32_t> claims; // nodes
  // Nodes in whose rare code it is claimed: a record that others may have, one that is fresh.
  std::vector<uint32_t> rare_claims{}, fresh_alone{};
  bool inferred = false; // nobody has declared it
};

// Two expensive loads, of which one comes before the other on every way to it. Is the second one's address known where packets would step
// aside for the first, so that it could be fetched there, too (program/address_slice.h)?
struct CutCompanion {
  uint32_t at = 0, load = 0;     // their nodes
  std::string obstacle;          // why not; empty: it is
  uint32_t instructions = 0;     // that making it there takes
  std::vector<uint32_t> reads{}; // nodes of which a load is made earlier for that
};

struct CutGraph {
  std::string body; // function name
  uint32_t entry = 0;
  std::vector<uint32_t> exits;
  uint32_t lines = 0;     // distinct ones of all nodes
  unsigned witnesses = 0; // up to most_witnesses
  std::vector<CutContext> contexts;
  std::vector<CutNode> nodes;
  std::vector<CutEdge> edges;
  std::vector<SharedLocation> locations;
  std::vector<DeferredCall> deferred;
  std::vector<ScratchVariable> scratch;
  std::vector<CutKey> keys;
  std::vector<CutCompanion> companions;
  bool own_errno = false;      // each packet has its own
  std::string not_interleaved; // why the body cannot be (analysis/interleavable.h); empty: it can
  std::vector<uint32_t> gates; // BlockIds at whose beginning a packet becomes alone; ascending
  double alone = 0;            // part of the sample's packets that do
};

} // namespace heddle
