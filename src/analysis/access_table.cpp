#include "analysis/access_table.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace heddle {

AccessTable::UnitId AccessTable::new_unit() {
  unit_nodes_.emplace_back();
  return UnitId(unit_nodes_.size() - 1);
}

size_t AccessTable::KeyHash::operator()(const AccessKey& key) const {
  const Place& place = key.place;
  return llvm::hash_combine(key.object, place.offset, place.stride, place.low, place.high, key.size,
                            key.write, unsigned(key.update), key.implied, key.rare, key.deferrable,
                            unsigned(key.flow), key.groups);
}

static AccessKey key_of(const Access& access) {
  return {access.object,  access.place, access.size,       access.write, access.update,
          access.implied, access.rare,  access.deferrable, access.flow,  access.groups};
}

uint32_t AccessTable::number_of(const Access& access, bool rare) {
  AccessKey key = key_of(access);
  key.rare |= rare;
  auto [it, fresh] = index_.try_emplace(key, uint32_t(keys_.size()));
  if (fresh) {
    keys_.push_back(key);
    made_by_.emplace_back();
    AccessKey alone = key;
    alone.groups = 0;
    if (key.groups) within_groups_[alone].push_back(it->second);
    by_object_[access.object].push_back(it->second);
  }
  return it->second;
}

void AccessTable::add(UnitId unit, const Access& access, bool rare) {
  std::vector<uint32_t>& numbers = by_id_[rare];
  if (access.id >= numbers.size()) numbers.resize(std::max<size_t>(access.id + 1, 2 * numbers.size()));
  uint32_t& number = numbers[access.id];
  if (number == 0) number = number_of(access, rare) + 1;
  auto& made_by = made_by_[number - 1];
  if (made_by.empty() || made_by.back().first != unit) made_by.push_back({unit, access.at});
}

AccessTable::AccessTable(const BodyGraph& graph, const Effects& effects, const RunSpans& spans) {
  llvm::DenseMap<const llvm::BasicBlock*, UnitId> block_units;
  llvm::DenseMap<const Access*, UnitId>
      summary_units[2]; // by where the summary lies; of common and rare calls
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const BodyNode& node = graph.nodes[n];
    auto [block, fresh_block] = block_units.try_emplace(node.block, 0);
    if (fresh_block) {
      block->second = new_unit();
      for (const llvm::Instruction& instruction : *node.block)
        for (const Access& access : effects.of(instruction))
          add(block->second, access, false);
    }
    unit_nodes_[block->second].push_back(n);
    llvm::SmallPtrSet<const Access*, 8> seen;
    for (const llvm::CallBase* call : node.closed_calls)
      for (const llvm::Function* callee : effects.points_to().callees(*call)) {
        llvm::ArrayRef<Access> summary = effects.summary(*callee);
        if (summary.empty() || !seen.insert(summary.data()).second) continue;
        auto [unit, fresh_unit] = summary_units[node.rare].try_emplace(summary.data(), 0);
        if (fresh_unit) {
          unit->second = new_unit();
          for (const Access& access : summary)
            add(unit->second, access, node.rare);
        }
        unit_nodes_[unit->second].push_back(n);
      }
  }
  for (const auto& [object, keys] : by_object_)
    objects_.push_back(object);
  runs_.resize(keys_.size());
  if (spans) note_runs(*graph.contexts.front().function, effects, spans);
}

void AccessTable::note_runs(const llvm::Function& body, const Effects& effects, const RunSpans& spans) {
  for (const llvm::Function* function : effects.reach(body))
    for (const llvm::BasicBlock& block : *function) {
      std::optional<RunSpan> span = spans(&block);
      if (!span) continue;
      for (const llvm::Instruction& instruction : block)
        for (const Access& access : effects.of(instruction)) {
          AccessKey key = key_of(access);
          if (auto found = index_.find(key); found != index_.end()) // else of a frame that is gone by then
            note_run(found->second, instruction, *span);
          if (auto found = within_groups_.find(key); found != within_groups_.end())
            for (uint32_t within : found->second)
              note_run(within, instruction, *span);
        }
    }
}

void AccessTable::note_run(uint32_t key, const llvm::Instruction& at, const RunSpan& span) {
  Run& run = runs_[key];
  if (!run.first || span.first < run.span.first) {
    run.first = &at;
    run.span.first = span.first;
  }
  if (!run.last || span.last > run.span.last) {
    run.last = &at;
    run.span.last = span.last;
  }
}

const std::vector<uint32_t>& AccessTable::keys_of(ObjectId object) const {
  static const std::vector<uint32_t> none;
  auto it = by_object_.find(object);
  return it == by_object_.end() ? none : it->second;
}

std::vector<AccessTable::Carrier> AccessTable::carriers(uint32_t key) const {
  std::vector<Carrier> result;
  for (const auto& [unit, at] : made_by_[key])
    for (uint32_t node : unit_nodes_[unit])
      result.push_back({node, at});
  return result;
}

} // namespace heddle
