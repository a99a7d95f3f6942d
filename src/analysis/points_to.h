// Which objects a pointer may point to, and which functions a call may run: whole-program, inclusion-based
// (Andersen), field-sensitive by byte offset, with the call graph built on the fly.
//
//     auto points_to = PointsTo::run(module);
//     for (const Pointee& p : points_to->points_to(load->getPointerOperand()))
//       ... points_to->objects()[p.object], p.place ...
#pragma once

#include "analysis/objects.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

using ObjectSet = llvm::SparseBitVector<>;

struct PointsToOptions {
  // Functions of the program whose result is fresh memory, whatever they do inside: pool allocators that
  // wrappers of malloc are not. Each call site is an allocation of its own. Default: pool_allocators().
  std::vector<std::string> allocators;
  bool default_allocators = true;
  unsigned wrapper_depth = 4; // how many levels of allocation wrappers are cloned by call site
  bool own_objects =
      false; // packets have objects of their own where the user says so (program/own_objects.h)

  // Published twins: a pointer to an object of this kind that is stored into a shared object (`shared`) is
  // loaded from there as a pointer to its twin (MemoryObject::twin_of). Both functions are asked once per
  // object; null: no twins.
  std::function<bool(const MemoryObject&)> twin;
  std::function<bool(const MemoryObject&)> shared;
};

struct Pointee {
  ObjectId object = 0;
  Place place;
  bool operator==(const Pointee&) const = default;
};

// What the analysis could not look into; each entry is "file:line: what".
struct PointsToReport {
  struct Entry {
    std::string what, at;
    const llvm::Value* value = nullptr;
  };
  std::vector<Entry> unknown_externals; // one per function: name and first call
  std::vector<Entry> inline_assembly;
  std::vector<Entry> integer_to_pointer; // conversions whose origin is not known
  std::vector<Entry> pool_allocators;    // functions taken as allocators by name
};

struct PointsToStatistics {
  size_t instructions = 0, nodes = 0, constraints = 0, objects = 0, locations = 0, copy_edges = 0, rounds = 0;
  size_t widened = 0; // values that point to so much that they count as "anything that escaped"
  double seconds = 0;
  double average_pointees = 0; // of the pointer operands of loads and stores, in objects
  size_t indirect_calls = 0, indirect_targets = 0, most_targets = 0;
};

class PointsTo {
public:
  static std::unique_ptr<PointsTo> run(const llvm::Module& module, const PointsToOptions& options = {});
  ~PointsTo();

  const llvm::Module& module() const;
  bool own_objects() const;                         // PointsToOptions::own_objects
  const std::vector<MemoryObject>& objects() const; // indexed by ObjectId
  ObjectId unknown_object() const { return 0; }
  ObjectId system_object(SystemLocation location) const;
  // The objects whose site is `value` (clones of wrappers and the parts of a packet give several).
  std::vector<ObjectId> objects_of(const llvm::Value* value) const;

  // The unknown object among the pointees stands for every object that escapes, too.
  // Empty: null or never assigned, so no access happens through it. Functions are among the pointees.
  std::vector<Pointee> points_to(const llvm::Value* value) const;
  ObjectSet objects_pointed_to(const llvm::Value* value) const;
  bool may_alias(const llvm::Value* a, uint64_t size_a, const llvm::Value* b, uint64_t size_b) const;

  // Defined functions that may run during the call: its targets, and the callbacks that external targets
  // run (qsort, pthread_create, unknown externals).
  llvm::ArrayRef<const llvm::Function*> callees(const llvm::CallBase& call) const;
  // Declared or modelled functions that the call may run (for a direct call at most one).
  llvm::ArrayRef<const llvm::Function*> external_callees(const llvm::CallBase& call) const;

  // Does the call run code that is not known: an unknown external function?
  bool reaches_outside(const llvm::CallBase& call) const;
  // The buffer that a modelled external function owns and returns a pointer to (localtime, strerror).
  ObjectId static_buffer(const llvm::Function& function) const;

  // Objects that `object` directly points to from any of its bytes (the unknown object as above).
  const ObjectSet& contents(ObjectId object) const;
  // Everything that can be reached by following pointers from `roots`; the roots are not included unless
  // something points to them.
  ObjectSet reachable_from(const ObjectSet& roots) const;
  // May code outside the program (unknown externals, inline assembly) hold a pointer to it?
  bool escapes(ObjectId object) const;
  const ObjectSet& escaped() const;

  const PointsToReport& report() const;
  const PointsToStatistics& statistics() const;

private:
  struct State;
  explicit PointsTo(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace heddle
