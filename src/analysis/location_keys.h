// By which key a location belongs to its own packets: one that the user declares, or one that the program shows.
#pragma once

#include "analysis/location_accesses.h"
#include "analysis/locations.h"

namespace heddle {

// The location's key, and why it does not free it; none: `name` is empty.
struct KeyedBy {
  std::string name, reason;
  unsigned number = 0;
  std::string obstacle;
  bool inferred = false;
  bool is_proven() const { return !name.empty() && obstacle.empty(); }
  auto operator<=>(const KeyedBy&) const = default;
};

class LocationKeys {
public:
  LocationKeys(const AccessTable& table, const LocationAccesses& accesses, const PointsTo& points_to,
               const LocationOptions& options)
      : table_(table), accesses_(accesses), points_to_(points_to), options_(options) {}

  // `object`: null for what has no address, which has to be named.
  KeyedBy declared(llvm::StringRef name, llvm::StringRef part_of, const MemoryObject* object,
                   llvm::ArrayRef<uint32_t> members) const;
  // A key that nobody declares, of what `write` may touch. The roots, where they are not claimed.
  KeyedBy inferred(uint32_t write, llvm::ArrayRef<uint32_t> members, InferredKeys::Roots& roots) const;
  // Of a location that several of its members write: the key that each of them shows.
  KeyedBy inferred(llvm::ArrayRef<uint32_t> members) const;

private:
  bool is_on() const { return !options_.without.contains("keyed"); }
  bool points_to(unsigned number, ObjectId object) const;
  // An access that a packet may make before it has claimed the key.
  std::string unclaimed(unsigned number, llvm::ArrayRef<uint32_t> members) const;
  // A bit per key that is claimed before all nodes of the unit.
  uint32_t claimed_before(AccessTable::UnitId unit) const;

  const AccessTable& table_;
  const LocationAccesses& accesses_;
  const PointsTo& points_to_;
  const LocationOptions& options_;
  mutable llvm::DenseMap<AccessTable::UnitId, uint32_t> claimed_before_;
};

} // namespace heddle
