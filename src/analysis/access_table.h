// Who touches what: every access of a body's graph, by range of bytes and by node.
#pragma once

#include "analysis/body_graph.h"
#include "analysis/effects.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

namespace heddle {

// Accesses of the same kind to the same bytes, wherever they are made.
struct AccessKey {
  ObjectId object;
  Place place;
  uint64_t size;
  bool write;
  UpdateOp update;
  // To the outside world as a whole, because the object accessed has escaped to it (effects.h).
  bool implied;
  bool rare;       // by a packet that is alone by then
  bool deferrable; // as in Access
  Flow flow;       // likewise
  GroupSet groups; // within calls of these commuting groups
  bool operator==(const AccessKey&) const = default;
};

// When, on average, packets of the sample run a block first and last: the part of the packet's instructions
// that ran before, 0 to 1.
struct RunSpan {
  double first = 0, last = 0;
};
// Null: not known. Answers with none for blocks that no packet of the sample ran.
using RunSpans = std::function<std::optional<RunSpan>(const llvm::BasicBlock*)>;

class AccessTable {
public:
  AccessTable(const BodyGraph& graph, const Effects& effects, const RunSpans& spans);

  struct Carrier {
    uint32_t node;
    const llvm::Instruction* at; // the access itself, maybe deep in a closed call
  };

  const std::vector<AccessKey>& keys() const { return keys_; }
  const std::vector<uint32_t>& keys_of(ObjectId object) const;
  const std::vector<ObjectId>& objects() const { return objects_; } // those accessed, ascending
  std::vector<Carrier> carriers(uint32_t key) const;

  // What a block or a closed callee does is computed once and shared by all the nodes it belongs to: a unit.
  // Callees that call each other in a cycle do the same and are one unit. `made_by` is in ascending order.
  using UnitId = uint32_t;
  const std::vector<std::pair<UnitId, const llvm::Instruction*>>& made_by(uint32_t key) const {
    return made_by_[key];
  }
  const std::vector<uint32_t>& nodes_of(UnitId unit) const { return unit_nodes_[unit]; }
  size_t unit_count() const { return unit_nodes_.size(); }

  // The first and the last instruction with this access that packets of the sample ran; null if none did.
  struct Run {
    const llvm::Instruction *first = nullptr, *last = nullptr;
    RunSpan span;
  };
  const Run& run_of(uint32_t key) const { return runs_[key]; }

private:
  UnitId new_unit();
  uint32_t number_of(const Access& access, bool rare);
  void add(UnitId unit, const Access& access, bool rare);
  void note_run(uint32_t key, const llvm::Instruction& at, const RunSpan& span);
  void note_runs(const llvm::Function& body, const Effects& effects, const RunSpans& spans);

  std::vector<AccessKey> keys_;
  std::vector<std::vector<std::pair<UnitId, const llvm::Instruction*>>> made_by_; // per key
  std::vector<std::vector<uint32_t>> unit_nodes_;
  std::vector<ObjectId> objects_;
  std::map<ObjectId, std::vector<uint32_t>> by_object_;
  struct KeyHash {
    size_t operator()(const AccessKey& key) const;
  };
  std::unordered_map<AccessKey, uint32_t, KeyHash> index_;
  // By Access::id, in common and in rare nodes: one more than the key's number; 0: not looked up yet.
  std::vector<uint32_t> by_id_[2];
  // The same access within calls of groups, by the one outside of them.
  std::unordered_map<AccessKey, std::vector<uint32_t>, KeyHash> within_groups_;
  std::vector<Run> runs_; // per key
};

} // namespace heddle
