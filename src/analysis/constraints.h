// From the instructions of a module to inclusion constraints (solver.h): values, memory, calls, models of
// external functions. The call graph is built while the solver runs, so the builder lives until it is done.
//
// Integers of 8 bytes and more are values like pointers: additions of constants keep the offset, masks that
// only clear or set low bits (tags, alignment) keep it where the object's alignment is known, other
// arithmetic gives "anywhere in the same object". The difference of two pointers is no pointer.
// Multiplication, division and values narrower than 8 bytes carry no pointers; a pointer put together from
// halves (a shift and an or) may be any whose address was turned into an integer or escaped.
//
// The outside world is one node: every pointer that unknown external functions may hold. What these can
// reach, they may read, overwrite with anything they hold, and call. In the other direction, the unknown
// object stands for all that the outside world holds: a pointer that comes from there points to it alone,
// what is stored through such a pointer escapes, and what is loaded is again anything that escaped. (This
// keeps the sets small where much escapes.)
//
// Allocation wrappers: a function that returns what an allocation (or another wrapper) in it returned gives
// one object per call site. Inside the wrapper the fresh pointer stands for all of them, so that what
// the wrapper does to the memory is kept for each; callers only see theirs. In the same way a function that
// returns one of its arguments, or a pointer into it (p = print(p, ...)), gives each caller what that caller
// passed.
#pragma once

#include "analysis/external_models.h"
#include "analysis/points_to.h"
#include "analysis/solver.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <vector>

namespace heddle {

// Does a value of this type hold a pointer, or an integer wide enough for one?
bool carries_pointer(llvm::Type* type);

// Can an indirect call with these arguments run the function, as far as types go?
bool may_call(const llvm::CallBase& call, const llvm::Function& function);

class ConstraintBuilder : public llvm::InstVisitor<ConstraintBuilder> {
public:
  ConstraintBuilder(const llvm::Module& module, const PointsToOptions& options, Solver& solver,
                    PointsToReport& report);

  void build(); // all constraints that do not depend on the solution

  bool has_node(const llvm::Value* value) const { return nodes_.count(value); }
  NodeId value(const llvm::Value* value);
  NodeId outside() const { return outside_; }
  ObjectId system_object(SystemLocation location) const { return system_[unsigned(location)]; }
  llvm::ArrayRef<ObjectId> objects_of(const llvm::Value* site) const;
  // The buffer that an external function owns and returns (=static).
  ObjectId static_buffer(const llvm::Function& function);

  using FunctionSet = llvm::SetVector<const llvm::Function*>;
  const FunctionSet* targets_of(const llvm::CallBase& call) const { return find(targets_, call); }
  const FunctionSet* externals_of(const llvm::CallBase& call) const { return find(externals_, call); }
  bool reaches_outside(const llvm::CallBase& call) const { return calls_outside_.contains(&call); }
  const FunctionSet& escaped_functions() const { return escaped_functions_; }

private:
  friend class llvm::InstVisitor<ConstraintBuilder>;
  using CallSets = llvm::DenseMap<const llvm::CallBase*, FunctionSet>;
  static const FunctionSet* find(const CallSets& sets, const llvm::CallBase& call);

  // constraints.cpp: objects, globals, the outside world
  ObjectId new_object(ObjectKind kind, const llvm::Value* site, std::string label = "",
                      std::optional<uint64_t> size = std::nullopt);
  void add_twin(ObjectId id, MemoryObject twin);
  ObjectId object_of(const llvm::GlobalVariable& global);
  void add_globals();
  void add_initializer(ObjectId object, const Place& place, const llvm::Constant& value);
  void add_array_initializer(ObjectId object, const Place& place, const llvm::Constant& value);
  void add_outside();
  void add_entry_points();
  void escape(const Location& location);
  void escape_function(const llvm::Function& function);

  // constraints_values.cpp
  void build_constant(const llvm::Constant& value, NodeId node);
  void find_loops(const llvm::Function& function);
  void add_constant(const llvm::Value* where, NodeId from, NodeId to, int64_t bytes);
  void build_offset(const llvm::GEPOperator& gep, NodeId node);
  void build_arithmetic(const llvm::Operator& operation, NodeId node);
  void build_mask(NodeId from, NodeId to, int64_t mask);
  void load_pieces(NodeId to, NodeId address, llvm::Type* type);
  void store_pieces(NodeId address, NodeId from, llvm::Type* type);
  void visitAllocaInst(llvm::AllocaInst& alloca);
  void visitLoadInst(llvm::LoadInst& load);
  NodeId integers_stored_as(llvm::StringRef alias_type);
  void visitStoreInst(llvm::StoreInst& store);
  void visitGetElementPtrInst(llvm::GetElementPtrInst& gep);
  void visitCastInst(llvm::CastInst& cast);
  void visitBinaryOperator(llvm::BinaryOperator& operation);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst& exchange);
  void visitAtomicRMWInst(llvm::AtomicRMWInst& update);
  void visitReturnInst(llvm::ReturnInst& ret);
  void visitLandingPadInst(llvm::LandingPadInst& pad);
  void visitResumeInst(llvm::ResumeInst& resume);
  void visitVAArgInst(llvm::VAArgInst& argument);
  void visitCallBase(llvm::CallBase& call);
  void visitInstruction(llvm::Instruction& instruction); // phi, select, aggregates, vectors: all operands

  // constraints_calls.cpp
  bool add_intrinsic(const llvm::CallBase& call, const llvm::Function& function);
  void add_inline_assembly(const llvm::CallBase& call);
  void add_indirect_call(const llvm::CallBase& call);
  void add_target(const llvm::CallBase& call, const llvm::Function& function);
  void bind(const llvm::CallBase& call, const llvm::Function& function);
  void bind_argument(const llvm::Argument& parameter, NodeId actual);
  void call_back(const llvm::CallBase& call, NodeId callee, std::vector<NodeId> actuals);
  void bind_callback(const llvm::Function& function, llvm::ArrayRef<NodeId> actuals);
  void add_unknown_call(const llvm::CallBase& call, const llvm::Function* function);
  ObjectId variable_arguments(const llvm::Function& function);
  NodeId returned(const llvm::Function& function);

  // constraints_models.cpp
  void add_model(const llvm::CallBase& call, const llvm::Function& function, const ExternalModel& model);
  NodeId model_source(const llvm::CallBase& call, const llvm::Function& function, const ModelClause& clause);
  ObjectId library_memory(std::string label, bool constant);
  ObjectId library_constants();
  ObjectId library_object(const llvm::Function& function);
  void store_through(const llvm::CallBase& call, unsigned index, const llvm::Function& function,
                     const ModelClause& clause);
  void keep(NodeId pointer, const ModelClause& clause);
  NodeId fresh_packet(const llvm::CallBase& call);
  NodeId fresh_message(const llvm::CallBase& call, int instance);
  NodeId fresh_part(const llvm::CallBase& call, const char* label, ObjectKind kind);
  Place new_stream(const llvm::CallBase& call, const llvm::Function& function);
  NodeId callback_frame(const llvm::CallBase& call, int user);
  NodeId actual(const llvm::CallBase& call, const ModelClause::Actual& actual);
  std::optional<uint64_t> model_size(const llvm::CallBase& call, const ModelClause& clause) const;

  // constraints_wrappers.cpp
  struct Leaf {
    const llvm::CallBase* call;
    int64_t offset;
  };
  struct Passed { // an argument, or a pointer into the same object
    unsigned argument;
    bool moved;
    bool operator==(const Passed&) const = default;
  };
  struct Wrapper {                       // where a function's result comes from
    bool is_wrapper = false;             // its result is not simply the union of what it returns
    std::vector<Leaf> fresh;             // allocations whose result is returned
    llvm::SmallVector<Passed, 2> passed; // arguments that are returned
    std::vector<std::pair<const llvm::Value*, bool>> others; // other values that are returned; true: moved
  };
  const Wrapper& wrapper(const llvm::Function& function);
  void find_leaves(const llvm::Function& function, const llvm::Value* value, Wrapper& result);
  const llvm::CallBase* fresh_out_argument(const llvm::Value* value) const;
  bool allocates(const llvm::CallBase& call);                    // allocator or wrapper
  bool is_named_allocator(const llvm::Function& function) const; // PointsToOptions::allocators
  bool is_allocator(const llvm::Function& function) const;
  llvm::ArrayRef<ObjectId> fresh_objects(const llvm::CallBase& call);
  void clone_sites(const llvm::CallBase& call, unsigned depth, llvm::SetVector<const llvm::CallBase*>& sites);
  void add_passed(const llvm::CallBase& call, const llvm::Function& function);
  void find_passed_by(const llvm::CallBase& call, bool moved,
                      llvm::SmallVectorImpl<std::pair<const llvm::Value*, bool>>& work, Wrapper& result);
  void add_wrapper_result(const llvm::CallBase& call, const llvm::Function& function);
  void add_generic_result(const llvm::Function& function, NodeId to);

  const llvm::Module& module_;
  const llvm::DataLayout& layout_;
  const PointsToOptions& options_;
  Solver& solver_;
  PointsToReport& report_;

  llvm::DenseMap<const llvm::Value*, NodeId> nodes_;
  llvm::DenseMap<const llvm::Function*, NodeId> returned_;
  llvm::DenseMap<const llvm::Function*, ObjectId> variable_arguments_, static_buffers_;
  llvm::DenseMap<const llvm::Value*, std::vector<ObjectId>> objects_of_;
  llvm::DenseMap<const llvm::GlobalVariable*, ObjectId> globals_;
  llvm::DenseMap<const llvm::Function*, ObjectId> functions_;
  llvm::StringMap<ObjectId> library_objects_;
  llvm::DenseMap<const llvm::CallBase*, int64_t> streams_; // calls that open one, numbered
  std::optional<ObjectId> library_constants_;
  std::vector<ObjectId> system_;
  llvm::DenseSet<const llvm::Value*> in_loops_; // pointer arithmetic that feeds itself within a function
  ObjectId unknown_ = 0, constants_ = 0;
  NodeId nothing_ = 0, outside_ = 0, anything_ = 0, exception_ = 0, integers_ = 0;
  llvm::DenseMap<ObjectId, ObjectId> twins_;
  llvm::StringMap<NodeId> stored_integers_; // by alias type; "": those of unknown type

  CallSets targets_, externals_;
  llvm::DenseSet<const llvm::CallBase*> calls_outside_;
  FunctionSet escaped_functions_;
  llvm::DenseSet<ObjectId> escaped_;
  llvm::DenseSet<const llvm::Function*> reported_;

  llvm::StringSet<> allocators_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<Wrapper>> wrappers_;
  llvm::DenseMap<const llvm::CallBase*, std::vector<ObjectId>> fresh_;
  llvm::DenseMap<const llvm::CallBase*, ObjectId> site_objects_;
};

} // namespace heddle
