// Accesses of call instructions: intrinsics, inline assembly, models of external functions, unknown ones.
#pragma once

#include "analysis/effects_updates.h"

#include "llvm/IR/InstrTypes.h"

#include <vector>

namespace heddle {

// Collects the accesses of one instruction, without repetitions and without reads of constants.
class AccessList {
public:
  AccessList(const PointsTo& points_to, const llvm::Instruction& at) : points_to_(points_to), at_(at) {}

  const PointsTo& points_to() const { return points_to_; }
  void add(const llvm::Value* pointer, uint64_t size, bool write, bool atomic = false, Update update = {});
  void add_anywhere(ObjectId object, bool write);
  void add_anywhere(const ObjectSet& objects, bool write);
  void add_system(SystemLocation location, bool read, bool write);
  // The same of a stream or descriptor that has a place of its own in the location.
  struct Channel {
    SystemLocation location;
    Place place;
    uint64_t size;
    bool deferrable = false, implied = false, rare = false; // as in Access
    Flow flow = Flow::Any;                                  // likewise
  };
  void add_channel(const Channel& channel, bool read, bool write);
  void add_final_exit(); // by a packet that is alone by then
  std::vector<Access> take();

private:
  void add(Access access);
  const PointsTo& points_to_;
  const llvm::Instruction& at_;
  std::vector<Access> accesses_;
  bool escaped_[2] = {}; // read, written: some object that has escaped
};

void add_call_accesses(const llvm::CallBase& call, AccessList& list, bool output_declared);

} // namespace heddle
