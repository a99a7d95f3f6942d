// The accesses of one shared location, gathered from the table of all: which nodes make them, and when the sample's packets did.
#pragma once

#include "analysis/access_table.h"
#include "analysis/cut_graph.h"
#include "program/program.h"

namespace heddle {

constexpr size_t named_accesses = 64; // of one location: beyond that, the node's own place has to do

class LocationAccesses {
public:
  LocationAccesses(const PacketBody& body, const AccessTable& table, const RunSpans& spans)
      : body_(body), table_(table), spans_(spans), maker_slot_(2 * table.unit_count()) {}

  // As written; the body is part of the function that holds the packet loop.
  std::string function_name(const llvm::Instruction& at) const;

  // Adds `at` as an access of `node`.
  void touch(SharedLocation& location, uint32_t node, const llvm::Instruction* at, bool write,
             bool rare) const;
  // Adds all accesses of these kinds, by numbers in the table.
  void touch_all(SharedLocation& location, llvm::ArrayRef<uint32_t> keys);
  // One common and one rare entry per node at most, a write if any of its accesses writes.
  static void merge_by_node(SharedLocation& location);

  // Did a packet of the sample make one? True where that is not known.
  bool ran(llvm::ArrayRef<uint32_t> keys) const;
  // Adds what the sample's packets did by these accesses to what is known of others.
  void note_sample(SharedLocation& location, llvm::ArrayRef<uint32_t> keys) const;

  // Which units make accesses of these kinds, two bits each (common, rare), for telling locations apart.
  std::vector<uint64_t> units_of(llvm::ArrayRef<uint32_t> keys) const;

private:
  // A unit that makes accesses of some kinds, with one such access and whether any writes.
  struct Maker {
    AccessTable::UnitId unit;
    bool rare;
    const llvm::Instruction* at;
    bool write;
  };
  std::vector<Maker> makers_of(llvm::ArrayRef<uint32_t> keys); // ascending by unit, common accesses first

  const PacketBody& body_;
  const AccessTable& table_;
  const RunSpans& spans_;
  std::vector<uint32_t> maker_slot_; // by unit, common and rare: where it was in the list made last
};

} // namespace heddle
