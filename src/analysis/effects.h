// What every instruction and every function does to memory, in terms of the points-to analysis' objects.
#pragma once

#include "analysis/commuting.h"
#include "analysis/points_to.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

#include <functional>
#include <memory>

namespace heddle {

// Updates that commute with themselves: any order of them gives the same value.
enum class UpdateOp : uint8_t { None, Add, Or, And, Xor, SignedMax, SignedMin, UnsignedMax, UnsignedMin };

// What a call does to a descriptor. A datagram that is received ahead of an earlier packet's output is the one that would
// have been received after it (src/runtime/receive.cpp), so the two do not conflict; anything else does with both.
enum class Flow : uint8_t { Any, Receives, Sends };

struct Access {
  ObjectId object = 0;
  Place place;
  uint64_t size = unknown_size; // bytes from each start
  bool write = false;
  bool atomic = false; // or a volatile write, or by a function that works on rings: other threads see it
  // On the unknown object only: says that the instruction accesses a named object that has escaped, and that
  // pointers of unknown origin may therefore reach, too. Such accesses conflict with accesses of the unknown
  // object that are not implied; among themselves they say nothing. (The access of the named object is in the
  // list as well.) Likewise on the location of all descriptors: a use of a stream, whose descriptor the program
  // may use by itself.
  bool implied = false;
  // Of a channel: made by a call that can be kept with its packet and made later (deferrable.h).
  bool deferrable = false;
  Flow flow = Flow::Any; // of a descriptor
  // Made in rare code (EffectsOptions::rare), or in a function that rare code calls.
  bool rare = false;
  // Made within a call of these commuting groups (commuting.h), or of a lock function (locks.h).
  GroupSet groups = 0;
  // Part of an update whose loaded value nothing else uses (effects_updates.h), at an address that is a multiple of
  // the size: `update_id` is common to the load and the store (0: none).
  UpdateOp update = UpdateOp::None;
  uint32_t update_id = 0;
  uint32_t id =
      0; // accesses of one Effects that differ in nothing else but `at` and `update_id` have the same
  const llvm::Instruction* at = nullptr;

  bool whole_object() const { return place.is_anywhere() && size == unknown_size; }
};

// Can both touch a common byte of one run-time object? (Says nothing about reads and writes.)
bool may_overlap(const Access& a, const Access& b);

// For people: "reads session->bytes (heap at upf.c:40 in add) at upf.c:88".
std::string describe(const Access& access, const std::vector<MemoryObject>& objects);

// Is the block one that a packet enters only after all packets before it have ended (docs/design.md, "Rare
// paths")?
using RareBlocks = std::function<bool(const llvm::BasicBlock&)>;

class Effects {
public:
  // `groups` outlives the effects; null: none. `output_declared`: what the user says of output counts
  // (program/declared_output.h).
  explicit Effects(const PointsTo& points_to, RareBlocks rare = {}, const CommutingGroups* groups = nullptr,
                   bool output_declared = false);
  ~Effects();

  // Accesses of one instruction. For calls: what external targets do by their models; targets defined in
  // the program are not included (PointsTo::callees gives them).
  llvm::ArrayRef<Access> of(const llvm::Instruction& instruction) const;

  // Does an update (Access::update) begin in `from` and end in `to`, so that no site may stand between?
  bool update_between(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;

  // Everything a call of `function` may do, callees included, one Access per (object, place, size, write,
  // update op, groups); `at` is one instruction that does it. Cached.
  llvm::ArrayRef<Access> summary(const llvm::Function& function) const;
  // All the functions that a call of `function` may run, itself included.
  const std::vector<const llvm::Function*>& reach(const llvm::Function& function) const;

  const PointsTo& points_to() const { return points_to_; }

private:
  struct State;
  const PointsTo& points_to_;
  std::unique_ptr<State> state_;
};

} // namespace heddle
