#include "analysis/effects_calls.h"

#include "analysis/assembly.h"
#include "analysis/external_models.h"
#include "analysis/streams.h"
#include "program/declared_output.h"
#include "program/deferrable.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace heddle {

void AccessList::add(Access access) {
  const MemoryObject& object = points_to_.objects()[access.object];
  if (object.kind == ObjectKind::Function || object.constant) return;
  access.at = &at_;
  auto same = [&](const Access& known) {
    return known.object == access.object && known.place == access.place && known.size == access.size &&
           known.write == access.write;
  };
  if (none_of(accesses_, same)) accesses_.push_back(access);
  if (object.kind != ObjectKind::System && access.object != points_to_.unknown_object() &&
      points_to_.escapes(access.object))
    escaped_[access.write] = true;
}

// Null for certain: written so, or read from a constant whose initialiser has no pointer there.
static bool is_null(const Value* pointer, const PointsTo& points_to) {
  if (isa<ConstantPointerNull, UndefValue>(pointer)) return true;
  auto* load = dyn_cast<LoadInst>(pointer);
  if (!load) return false;
  ObjectSet from = points_to.objects_pointed_to(load->getPointerOperand());
  bool only_constants = !from.empty();
  for (ObjectId id : from) {
    const MemoryObject& object = points_to.objects()[id];
    only_constants &= object.kind == ObjectKind::Global && object.constant;
  }
  return only_constants;
}

// A pointer to which nothing is assigned anywhere is null whenever the code runs, or the analysis lost track
// of it: not proven, so assumed to reach anything.
void AccessList::add(const Value* pointer, uint64_t size, bool write, bool atomic, Update update) {
  if (size == 0) return;
  std::vector<Pointee> pointees = points_to_.points_to(pointer);
  if (pointees.empty()) {
    if (!is_null(pointer, points_to_)) add_system(SystemLocation::Untraced, !write, write);
    return;
  }
  for (const Pointee& pointee : pointees) {
    Access access;
    access.object = pointee.object;
    access.place = pointee.place;
    access.size = size;
    access.write = write;
    access.atomic = atomic;
    access.update = update.op;
    access.update_id = update.id;
    add(access);
  }
}

// The accesses, and for those of escaped objects one of the unknown object, which stands for all of these.
std::vector<Access> AccessList::take() {
  for (bool write : {false, true}) {
    if (!escaped_[write]) continue;
    Access access;
    access.object = points_to_.unknown_object();
    access.place = Place::anywhere();
    access.write = write;
    access.implied = true;
    access.at = &at_;
    accesses_.push_back(access);
  }
  return std::move(accesses_);
}

void AccessList::add_anywhere(ObjectId object, bool write) {
  Access access;
  access.object = object;
  access.place = Place::anywhere();
  access.write = write;
  add(access);
}

void AccessList::add_anywhere(const ObjectSet& objects, bool write) {
  for (ObjectId object : objects) {
    const MemoryObject& known = points_to_.objects()[object];
    if (known.kind != ObjectKind::System) add_anywhere(object, write);
  }
}

void AccessList::add_final_exit() {
  Access access;
  access.object = points_to_.system_object(SystemLocation::ProcessExit);
  access.place = Place::anywhere();
  access.write = access.rare = true;
  add(access);
}

void AccessList::add_system(SystemLocation location, bool read, bool write) {
  if (read) add_anywhere(points_to_.system_object(location), false);
  if (write) add_anywhere(points_to_.system_object(location), true);
}

void AccessList::add_channel(const Channel& channel, bool read, bool write) {
  Access access;
  access.object = points_to_.system_object(channel.location);
  access.place = channel.place;
  access.size = channel.size;
  access.deferrable = channel.deferrable;
  access.flow = channel.flow;
  access.implied = channel.implied;
  access.rare = channel.rare;
  for (bool writes : {false, true}) {
    access.write = writes;
    if (writes ? write : read) add(access);
  }
}

// Everything that has escaped (that is what the unknown object stands for), and every system location.
static void add_unknown(AccessList& list, bool writes) {
  list.add_anywhere(list.points_to().unknown_object(), false);
  if (writes) list.add_anywhere(list.points_to().unknown_object(), true);
  for (unsigned i = 0; i < system_location_count; ++i)
    if (SystemLocation(i) != SystemLocation::Untraced) list.add_system(SystemLocation(i), true, writes);
}

// --- Intrinsics and inline assembly -------------------------------------------------------------------

static uint64_t constant_size(const Value* size) {
  auto* number = dyn_cast<ConstantInt>(size);
  return number ? number->getZExtValue() : unknown_size;
}

static void add_intrinsic(const IntrinsicInst& call, AccessList& list) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
    list.add(call.getArgOperand(1), constant_size(call.getArgOperand(2)), false);
    [[fallthrough]];
  case Intrinsic::memset:
  case Intrinsic::memset_inline:
    list.add(call.getArgOperand(0), constant_size(call.getArgOperand(2)), true);
    return;
  case Intrinsic::vacopy:
    list.add(call.getArgOperand(1), 24, false);
    [[fallthrough]];
  case Intrinsic::vastart:
    list.add(call.getArgOperand(0), 24, true);
    return;
  case Intrinsic::x86_rdtsc:
  case Intrinsic::x86_rdtscp:
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
    return list.add_system(SystemLocation::Time, true, false);
  case Intrinsic::trap:
  case Intrinsic::ubsantrap:
    return list.add_system(SystemLocation::AbnormalExit, true, true);
  default:
    break;
  }
  if (!call.mayReadOrWriteMemory() || call.isLifetimeStartOrEnd() || call.isAssumeLikeIntrinsic()) return;
  switch (call.getIntrinsicID()) {
  case Intrinsic::prefetch:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
    return;
  default:
    break;
  }
  for (const Use& argument : call.args())
    if (argument->getType()->isPtrOrPtrVectorTy()) {
      if (!call.onlyWritesMemory()) list.add(argument, unknown_size, false);
      if (!call.onlyReadsMemory()) list.add(argument, unknown_size, true);
    }
}

static void add_assembly(const CallBase& call, AccessList& list) {
  auto* assembly = cast<InlineAsm>(call.getCalledOperand());
  StringRef text = assembly->getAsmString();
  if (StringRef(text).contains("rdtsc")) return list.add_system(SystemLocation::Time, true, false);
  if (is_harmless_assembly(text)) return;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && call.paramHasAttr(i, Attribute::ElementType))
      for (bool write : {false, true})
        list.add(call.getArgOperand(i), 8, write);
  if (assembly->getConstraintString().find("~{memory}") != std::string::npos)
    add_unknown(list, true);
  else if (assembly->hasSideEffects())
    list.add_system(SystemLocation::External, true, true);
}

// --- Models ----------------------------------------------------------------------------------------------

namespace {

class ModelAccesses {
public:
  ModelAccesses(const CallBase& call, AccessList& list, bool output_declared)
      : call_(call), list_(list), points_to_(list.points_to()),
        declared_(output_declared && is_declared_output(call)),
        deferrable_(is_deferrable(call) && (declared_ || call.use_empty())) {}

  void add(const Function& function, const ModelClause& clause);

private:
  using Kind = ModelClause::Kind;
  using Source = ModelClause::Source;

  const Value* argument(int index) const {
    return index >= 0 && unsigned(index) < call_.arg_size() ? call_.getArgOperand(index) : nullptr;
  }
  uint64_t size_of(const ModelClause& clause) const;
  void touch(int index, uint64_t size, bool write);
  void touch_deep(int index, unsigned depth, bool write);
  void consume(const ModelClause& clause);
  void returned(const Function& function, const ModelClause& clause);
  void system(const ModelClause& clause, bool alone);
  Flow flow() const;

  const CallBase& call_;
  AccessList& list_;
  const PointsTo& points_to_;
  bool atomic_ = false;   // the function that is added synchronises threads by the memory it works on
  const bool declared_;   // the user says where its output goes
  const bool deferrable_; // the call, but for the stream that it writes to
};

uint64_t ModelAccesses::size_of(const ModelClause& clause) const {
  if (clause.size_argument < 0) return clause.size;
  const Value *first = argument(clause.size_argument), *second = argument(clause.size_argument2);
  uint64_t a = first ? constant_size(first) : unknown_size;
  uint64_t b = second ? constant_size(second) : 1;
  return a == unknown_size || b == unknown_size ? unknown_size : a * b;
}

void ModelAccesses::touch(int index, uint64_t size, bool write) {
  const Value* pointer = argument(index);
  if (pointer && pointer->getType()->isPointerTy()) list_.add(pointer, size, write, atomic_);
}

// The pointees, and what they point to over `depth` steps.
void ModelAccesses::touch_deep(int index, unsigned depth, bool write) {
  const Value* pointer = argument(index);
  if (!pointer || !pointer->getType()->isPointerTy()) return;
  ObjectSet reached = points_to_.objects_pointed_to(pointer), frontier = reached;
  while (depth-- > 0 && !frontier.empty()) {
    ObjectSet next;
    for (ObjectId object : frontier)
      next |= points_to_.contents(object);
    frontier.intersectWithComplement(next, reached);
    reached |= next;
  }
  list_.add_anywhere(reached, write);
}

// A freed or handed-over object is written as a whole; a packet goes with all its parts.
void ModelAccesses::consume(const ModelClause& clause) {
  const Value* pointer = argument(clause.argument);
  if (!pointer) return;
  ObjectSet consumed = points_to_.objects_pointed_to(pointer);
  if (clause.through) {
    ObjectSet arrays = consumed;
    consumed.clear();
    for (ObjectId array : arrays)
      consumed |= points_to_.contents(array);
  }
  ObjectSet parts;
  for (ObjectId object : consumed)
    if (points_to_.objects()[object].kind == ObjectKind::Packet && points_to_.objects()[object].site)
      for (ObjectId part : points_to_.objects_of(points_to_.objects()[object].site))
        parts.set(part);
  consumed |= parts;
  list_.add_anywhere(consumed, true);
}

void ModelAccesses::returned(const Function& function, const ModelClause& clause) {
  if (clause.source == Source::Static) list_.add_anywhere(points_to_.static_buffer(function), true);
  if (clause.source == Source::Contents) touch(clause.source_argument, unknown_size, false);
}

// Output is output whether or not its result is used.
Flow ModelAccesses::flow() const {
  const Function* function = call_.getCalledFunction();
  if (function && receives_ahead(function->getName())) return Flow::Receives;
  return deferrable_function(call_) ? Flow::Sends : Flow::Any;
}

// What is done to streams is done to their descriptors, too.
void ModelAccesses::system(const ModelClause& clause, bool alone) {
  AccessList::Channel channel{clause.system, Place::anywhere(), unknown_size, deferrable_, false,
                              alone,         Flow::Any};
  auto touch = [&] { list_.add_channel(channel, clause.reads, clause.writes); };
  if (clause.system == SystemLocation::StdioChannel) {
    bool to_descriptor = false, deferrable = deferrable_;
    for (const Stream& stream : streams_of(points_to_, call_, clause.argument)) {
      channel.place = stream.place;
      channel.size = stream.size;
      channel.deferrable = deferrable_ && stream.deferrable;
      touch();
      to_descriptor |= stream.descriptor_in_use;
      deferrable &= stream.deferrable;
    }
    if (!to_descriptor) return;
    channel = {
        SystemLocation::FileDescriptor, Place::at(streams_descriptor), 1, deferrable, true, alone, flow()};
  } else if (clause.system == SystemLocation::FileDescriptor && declared_) {
    channel.location = SystemLocation::DeclaredOutput;
  } else if (clause.system == SystemLocation::FileDescriptor) {
    channel.flow = flow();
    const Value* descriptor = argument(clause.argument);
    if (descriptor && is_own_descriptor(points_to_, *descriptor)) {
      channel.place = Place::at(own_descriptor);
      channel.size = 1;
    }
  }
  touch();
}

void ModelAccesses::add(const Function& function, const ModelClause& clause) {
  unsigned last = clause.onwards ? call_.arg_size() : clause.argument + 1;
  atomic_ = function.getName().starts_with("rte_ring_");
  switch (clause.kind) {
  case Kind::Read:
  case Kind::Write:
    for (unsigned i = clause.argument; i < last; ++i)
      touch(i, size_of(clause), clause.kind == Kind::Write);
    return;
  case Kind::ReadList:
    return touch_deep(clause.argument, 2, false);
  case Kind::ReadDeep:
  case Kind::WriteDeep:
    for (unsigned i = clause.argument; i < last; ++i)
      touch_deep(i, UINT_MAX, clause.kind == Kind::WriteDeep);
    return;
  case Kind::Consume:
    return consume(clause);
  case Kind::Copy:
    touch(clause.source_argument, size_of(clause), false);
    return touch(clause.argument, size_of(clause), true);
  case Kind::StoreTo:
    for (unsigned i = clause.argument; i < last; ++i)
      touch(i, clause.anywhere ? unknown_size : 8, true);
    return returned(function, clause);
  case Kind::Return:
    return returned(function, clause);
  case Kind::System:
    // The transformation lets all earlier packets end before a call that ends the program (transform/leaving.h).
    if (clause.system == SystemLocation::ProcessExit && is_final_exit(function, call_))
      return list_.add_final_exit();
    return system(clause, is_final_exit(function, call_));
  case Kind::Keep:
  case Kind::KeepCode:
  case Kind::StoreSystem:
  case Kind::Throw:
  case Kind::Call:
    return;
  }
}

// Of the functions that format text: %m stands for errno. The format is the last argument before the values.
bool may_print_errno(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return false;
  if (!callee->getName().contains("printf") && !callee->getName().contains("syslog")) return false;
  const unsigned after = callee->isVarArg() ? 1 : 2, fixed = callee->getFunctionType()->getNumParams();
  if (fixed < after || !call.getArgOperand(fixed - after)->getType()->isPointerTy()) return false;
  StringRef format;
  return !getConstantStringInfo(call.getArgOperand(fixed - after), format) || format.contains("%m");
}

} // namespace

void add_call_accesses(const CallBase& call, AccessList& list, bool output_declared) {
  if (call.isInlineAsm()) return add_assembly(call, list);
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return add_intrinsic(*intrinsic, list);
  ModelAccesses accesses(call, list, output_declared);
  for (const Function* function : list.points_to().external_callees(call))
    if (const ExternalModel* model = model_of(*function))
      for (const ModelClause& clause : model->clauses)
        accesses.add(*function, clause);
  if (may_print_errno(call)) list.add_system(SystemLocation::Errno, true, false);
  const PointsTo& points_to = list.points_to();
  if (points_to.reaches_outside(call)) return add_unknown(list, !call.onlyReadsMemory());
  bool runs_nothing = points_to.callees(call).empty() && points_to.external_callees(call).empty();
  if (!call.getCalledFunction() && runs_nothing && !is_null(call.getCalledOperand(), points_to))
    list.add_system(SystemLocation::Untraced, true, true);
}

} // namespace heddle
