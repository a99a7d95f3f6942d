// Models of external functions (external_models.h) as constraints.
#include "analysis/constraints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

// Where struct rte_mbuf (DPDK 22.11) keeps pointers.
static constexpr int64_t mbuf_buffer = 0, mbuf_pool = 56, mbuf_next = 64;
// Where a message of libDAQ 3.0 does.
static constexpr int64_t message_header = 0, message_data = 8, message_slots = 16, message_owner = 80,
                         message_private = 88;

static const Value* argument(const CallBase& call, int index) {
  return index >= 0 && unsigned(index) < call.arg_size() ? call.getArgOperand(index) : nullptr;
}

// Bytes of the memory that the call allocates, where they are constant.
std::optional<uint64_t> ConstraintBuilder::model_size(const CallBase& call, const ModelClause& clause) const {
  auto* a = dyn_cast_or_null<ConstantInt>(argument(call, clause.size_argument));
  if (!a) return std::nullopt;
  if (clause.size_argument2 < 0) return a->getZExtValue();
  auto* b = dyn_cast_or_null<ConstantInt>(argument(call, clause.size_argument2));
  return b ? std::optional(a->getZExtValue() * b->getZExtValue()) : std::nullopt;
}

ObjectId ConstraintBuilder::static_buffer(const Function& function) {
  auto [entry, fresh] = static_buffers_.try_emplace(&function, 0);
  if (fresh) entry->second = library_memory("static buffer of " + function.getName().str(), false);
  return entry->second;
}

// Memory of a library's own, whose parts may point to each other.
ObjectId ConstraintBuilder::library_memory(std::string label, bool constant) {
  ObjectId object = new_object(ObjectKind::Global, nullptr, std::move(label));
  solver_.objects()[object].constant = constant;
  NodeId inside = solver_.add_node();
  solver_.add_address(inside, object, Place::anywhere());
  solver_.add_copy(inside, solver_.stored_at(object, Place::anywhere()));
  return object;
}

ObjectId ConstraintBuilder::library_constants() {
  if (!library_constants_) library_constants_ = library_memory("tables of libraries", true);
  return *library_constants_;
}

ObjectId ConstraintBuilder::library_object(const Function& function) {
  StringRef name = model_of(function)->name;
  name.consume_back("*");
  auto [entry, fresh] = library_objects_.try_emplace(name, 0);
  if (fresh) entry->second = library_memory(("objects of the library of " + name + "...").str(), false);
  return entry->second;
}

NodeId ConstraintBuilder::fresh_part(const CallBase& call, const char* label, ObjectKind kind) {
  for (ObjectId existing : objects_of(&call))
    if (solver_.objects()[existing].label == label) {
      NodeId node = solver_.add_node();
      solver_.add_address(node, existing, Place::at(0));
      return node;
    }
  NodeId node = solver_.add_node();
  solver_.add_address(node, new_object(kind, &call, label), Place::at(0));
  return node;
}

// A packet buffer of DPDK: the mbuf, its data, and the chain of further segments (the same objects).
NodeId ConstraintBuilder::fresh_packet(const CallBase& call) {
  NodeId mbuf = fresh_part(call, "mbuf", ObjectKind::Packet);
  solver_.add_store(mbuf, fresh_part(call, "packet data", ObjectKind::Packet), mbuf_buffer);
  solver_.add_store(mbuf, mbuf, mbuf_next);
  NodeId pool = solver_.add_node();
  solver_.add_address(pool, system_object(SystemLocation::DpdkState), Place::anywhere());
  solver_.add_store(mbuf, pool, mbuf_pool);
  return mbuf;
}

// A message of libDAQ: header, data, slots with what else is known of it, and what the instance keeps for itself. In
// another version a pointer lies elsewhere; one that is found where there is none here counts as untraced.
NodeId ConstraintBuilder::fresh_message(const CallBase& call, int instance) {
  NodeId message = fresh_part(call, "message", ObjectKind::Packet), inside = solver_.add_node();
  solver_.add_store(message, fresh_part(call, "message header", ObjectKind::Packet), message_header);
  solver_.add_store(message, fresh_part(call, "message data", ObjectKind::Packet), message_data);
  NodeId slots = fresh_part(call, "message metadata", ObjectKind::Packet);
  for (int64_t slot = message_slots; slot != message_owner; slot += 8)
    solver_.add_store(message, slots, slot);
  if (const Value* pointer = argument(call, instance)) solver_.add_anywhere(value(pointer), inside);
  for (int64_t own : {message_owner, message_private})
    solver_.add_store(message, inside, own);
  return message;
}

// struct heddle_pcap_packet {user, header, data} of src/runtime/runtime.h.
NodeId ConstraintBuilder::callback_frame(const CallBase& call, int user) {
  NodeId frame = fresh_part(call, "packet frame", ObjectKind::Packet);
  if (const Value* pointer = argument(call, user)) solver_.add_store(frame, value(pointer), 0);
  solver_.add_store(frame, fresh_part(call, "packet header", ObjectKind::Packet), 8);
  solver_.add_store(frame, fresh_part(call, "packet data", ObjectKind::Packet), 16);
  return frame;
}

NodeId ConstraintBuilder::actual(const CallBase& call, const ModelClause::Actual& actual) {
  using Source = ModelClause::Source;
  switch (actual.source) {
  case Source::Argument:
    return argument(call, actual.argument) ? value(argument(call, actual.argument)) : nothing_;
  case Source::Into: {
    NodeId node = solver_.add_node();
    if (const Value* base = argument(call, actual.argument)) solver_.add_anywhere(value(base), node);
    return node;
  }
  case Source::Frame:
    return callback_frame(call, actual.argument);
  case Source::Header:
    return fresh_part(call, "packet header", ObjectKind::Packet);
  case Source::Data:
    return fresh_part(call, "packet data", ObjectKind::Packet);
  case Source::Unknown:
    return anything_;
  default:
    return nothing_;
  }
}

// The stream that the call opens.
Place ConstraintBuilder::new_stream(const CallBase& call, const Function& function) {
  auto [entry, fresh] = streams_.try_emplace(&call, int64_t(streams_.size()));
  static constexpr StringRef to_memory[] = {"fmemopen", "open_memstream"};
  if (is_contained(to_memory, function.getName())) return Place::at(-(entry->second + 1) * stream_size);
  return Place::at(first_opened_stream + entry->second * stream_size);
}

// A node with what the clause returns or stores.
NodeId ConstraintBuilder::model_source(const CallBase& call, const Function& function,
                                       const ModelClause& clause) {
  using Source = ModelClause::Source;
  NodeId node = solver_.add_node();
  switch (clause.source) {
  case Source::Fresh:
    for (ObjectId object : fresh_objects(call)) {
      MemoryObject& made = solver_.objects()[object];
      if (made.site == &call && !made.size) made.size = model_size(call, clause);
      solver_.add_address(node, object, Place::at(0));
    }
    return node;
  case Source::Opaque: { // its parts may point to each other (getaddrinfo's list)
    NodeId made = fresh_part(call, "library object", ObjectKind::Heap), inside = solver_.add_node();
    solver_.add_anywhere(made, inside);
    solver_.add_store(inside, inside);
    return made;
  }
  case Source::Static:
    solver_.add_address(node, static_buffer(function), Place::at(0));
    return node;
  case Source::Constant:
    solver_.add_address(node, library_constants(), Place::anywhere());
    return node;
  case Source::Library:
    solver_.add_address(node, library_object(function), Place::anywhere());
    return node;
  case Source::Held:
    solver_.add_copy(solver_.seen_at(system_object(clause.system), Place::anywhere()), node);
    return node;
  case Source::SystemObject:
    solver_.add_address(node, system_object(clause.system),
                        clause.system == SystemLocation::StdioChannel ? new_stream(call, function)
                                                                      : Place::anywhere());
    return node;
  case Source::Packet:
    return fresh_packet(call);
  case Source::Message:
    return fresh_message(call, clause.source_argument);
  case Source::Contents: {
    if (const Value* base = argument(call, clause.source_argument)) {
      NodeId anywhere = solver_.add_node();
      solver_.add_anywhere(value(base), anywhere);
      solver_.add_load(node, anywhere);
    }
    return node;
  }
  default:
    return actual(call, {clause.source, clause.source_argument});
  }
}

static uint64_t copied_length(const CallBase& call, const ModelClause& clause) {
  auto* length = dyn_cast_or_null<ConstantInt>(argument(call, clause.size_argument));
  return length ? length->getZExtValue() : unknown_size;
}

// What the callee holds on to: the pointer, what is stored behind it, or the pointer if it is a callback.
void ConstraintBuilder::keep(NodeId pointer, const ModelClause& clause) {
  if (clause.kind == ModelClause::Kind::KeepCode) {
    solver_.add_listener(pointer, [this](const Location& location) {
      if (solver_.objects()[location.object].kind == ObjectKind::Function)
        solver_.add_address(outside_, location.object, Place::at(0));
    });
    return;
  }
  if (!clause.through) return solver_.add_copy(pointer, outside_);
  NodeId anywhere = solver_.add_node();
  solver_.add_anywhere(pointer, anywhere);
  solver_.add_load(outside_, anywhere);
}

void ConstraintBuilder::store_through(const CallBase& call, unsigned index, const Function& function,
                                      const ModelClause& clause) {
  NodeId to = value(call.getArgOperand(index));
  if (clause.anywhere) {
    NodeId start = to;
    to = solver_.add_node();
    solver_.add_anywhere(start, to);
  }
  solver_.add_store(to, model_source(call, function, clause));
}

void ConstraintBuilder::add_model(const CallBase& call, const Function& function,
                                  const ExternalModel& model) {
  using Kind = ModelClause::Kind;
  for (const ModelClause& clause : model.clauses) {
    const Value* target = argument(call, clause.argument);
    switch (clause.kind) {
    case Kind::Keep:
    case Kind::KeepCode:
      for (unsigned i = clause.argument;
           i < call.arg_size() && (clause.onwards || i == unsigned(clause.argument)); ++i)
        if (carries_pointer(call.getArgOperand(i)->getType())) keep(value(call.getArgOperand(i)), clause);
      break;
    case Kind::StoreSystem:
      solver_.add_copy(model_source(call, function, clause),
                       solver_.stored_at(system_object(clause.system), Place::anywhere()));
      break;
    case Kind::Throw:
      if (target) solver_.add_copy(value(target), exception_);
      break;
    case Kind::Return:
      if (carries_pointer(call.getType()))
        solver_.add_copy(model_source(call, function, clause), value(&call));
      break;
    case Kind::StoreTo:
      for (unsigned i = clause.argument;
           i < call.arg_size() && (clause.onwards || i == unsigned(clause.argument)); ++i)
        if (call.getArgOperand(i)->getType()->isPointerTy()) store_through(call, i, function, clause);
      break;
    case Kind::Copy:
      if (target && argument(call, clause.source_argument))
        solver_.add_memory_copy(value(target), value(argument(call, clause.source_argument)),
                                copied_length(call, clause));
      else if (const Value* from = argument(call, clause.source_argument); from && clause.argument < 0)
        solver_.add_memory_copy(value(&call), value(from), unknown_size); // into the result (realloc)
      break;
    case Kind::Call: {
      if (!target) break;
      std::vector<NodeId> actuals;
      for (const ModelClause::Actual& what : clause.actuals)
        actuals.push_back(actual(call, what));
      call_back(call, value(target), std::move(actuals));
      break;
    }
    case Kind::Read:
    case Kind::Write:
    case Kind::ReadList:
    case Kind::ReadDeep:
    case Kind::WriteDeep:
    case Kind::Consume:
    case Kind::System:
      break; // effects only
    }
  }
}

} // namespace heddle
