// Which bytes of an object may a function read before it has written them itself?
#pragma once

#include "analysis/effects.h"

#include "llvm/ADT/BitVector.h"

#include <map>
#include <tuple>

namespace heddle {

struct ExposureOptions {
  // The object is errno: a call that may write it has done so for certain where its result says that it has failed.
  bool of_errno = false;
  bool unknown_functions_read = true; // what code outside of the program may do
};

class Exposure {
public:
  // The object has `size` bytes and exists once (per thread). A call that may run one of `bodies` leaves nothing
  // written: packets have come by since.
  Exposure(const Effects& effects, llvm::ArrayRef<const llvm::Function*> bodies, ObjectId object,
           uint64_t size, ExposureOptions options = {});

  // An instruction that may read what was there when `function` was called; null: there is none.
  const llvm::Instruction* exposed_read(const llvm::Function& function);
  // One that may read what a packet left, where none has come by before `function` is called.
  const llvm::Instruction* read_after_packets(const llvm::Function& function);

private:
  // What is known of a pointer: that it leads to the object, and where; that it does not; or neither.
  struct Pointer {
    enum Kind : uint8_t { May, Not, At } kind = May;
    int64_t offset = 0;
    auto operator<=>(const Pointer&) const = default;
  };
  using Arguments = std::vector<Pointer>;
  struct Result {
    llvm::BitVector exposed, written;      // at its return
    const llvm::Instruction* at = nullptr; // one that reads exposed bytes
  };
  struct Walk; // through one function

  const Result& result_of(const llvm::Function& function, Arguments arguments, bool written_before = false);
  Pointer pointer(const llvm::Value& value, const Arguments& arguments);
  Pointer by_points_to(const llvm::Value& value) const;
  void read(Walk& walk, const llvm::Instruction& at, const Pointer& pointer, uint64_t size) const;
  void write(Walk& walk, const Pointer& pointer, uint64_t size) const;
  void by_model(Walk& walk, const llvm::Instruction& at) const;
  void call(Walk& walk, const llvm::CallBase& call);
  void step(Walk& walk, const llvm::Instruction& instruction);
  bool touches(const llvm::Function& function);
  bool runs_body(const llvm::Function& function);
  llvm::BitVector bytes(int64_t begin, uint64_t size) const;
  llvm::BitVector bytes(const Place& place, uint64_t size) const;

  const Effects& effects_;
  const PointsTo& points_to_;
  llvm::ArrayRef<const llvm::Function*> bodies_;
  ObjectId object_;
  unsigned size_;
  ExposureOptions options_;
  std::map<std::tuple<const llvm::Function*, Arguments, bool>, Result> results_;
  llvm::DenseMap<const llvm::Function*, bool> touches_, runs_body_;
  llvm::DenseMap<const llvm::Value*, Pointer> pointers_; // by points-to sets, which may be long
};

} // namespace heddle
