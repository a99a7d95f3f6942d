#include "analysis/constraints.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle {

// Tables with more elements than this share one cell per field instead of one per element.
static constexpr uint64_t most_separate_elements = 64;

ConstraintBuilder::ConstraintBuilder(const Module& module, const PointsToOptions& options, Solver& solver,
                                     PointsToReport& report)
    : module_(module), layout_(module.getDataLayout()), options_(options), solver_(solver), report_(report) {
  for (const std::string& name : options.allocators)
    allocators_.insert(name);
  if (options.default_allocators)
    for (const char* name : pool_allocators())
      allocators_.insert(name);
}

const ConstraintBuilder::FunctionSet* ConstraintBuilder::find(const CallSets& sets, const CallBase& call) {
  auto found = sets.find(&call);
  return found == sets.end() ? nullptr : &found->second;
}

ArrayRef<ObjectId> ConstraintBuilder::objects_of(const Value* site) const {
  auto found = objects_of_.find(site);
  return found == objects_of_.end() ? ArrayRef<ObjectId>() : ArrayRef(found->second);
}

ObjectId ConstraintBuilder::new_object(ObjectKind kind, const Value* site, std::string label,
                                       std::optional<uint64_t> size) {
  MemoryObject object;
  object.kind = kind;
  object.site = site;
  object.label = std::move(label);
  object.size = size;
  if (kind == ObjectKind::Heap || kind == ObjectKind::Packet) object.alignment = 16;
  ObjectId id = solver_.add_object(object);
  if (site) objects_of_[site].push_back(id);
  if (options_.twin && options_.twin(object)) add_twin(id, std::move(object));
  return id;
}

// What is known of an object's contents is known of its twin's: they are one in memory. The way back is not
// modelled: who uses twins has to see that no pointer is stored through one.
void ConstraintBuilder::add_twin(ObjectId id, MemoryObject twin) {
  twin.twin_of = id;
  ObjectId twin_id = solver_.add_object(std::move(twin));
  twins_[id] = twin_id;
  NodeId from = solver_.add_node(), to = solver_.add_node();
  solver_.add_address(from, id, Place::at(0));
  solver_.add_address(to, twin_id, Place::at(0));
  solver_.add_memory_copy(to, from, unknown_size);
}

void ConstraintBuilder::build() {
  if (options_.twin)
    solver_.set_twins(
        [this](ObjectId id) {
          auto twin = twins_.find(id);
          return twin == twins_.end() ? id : twin->second;
        },
        [this](ObjectId id) {
          const MemoryObject& object = solver_.objects()[id];
          return object.twin_of || options_.shared(object);
        });
  nothing_ = solver_.add_node();
  exception_ = solver_.add_node();
  add_outside();
  add_globals();
  add_entry_points();
  for (const Function& function : module_)
    for (const Argument& argument : function.args())
      if (argument.hasByValAttr()) {
        ObjectId object = new_object(ObjectKind::Stack, &argument, "",
                                     layout_.getTypeAllocSize(argument.getParamByValType()).getFixedValue());
        solver_.objects()[object].type = argument.getParamByValType();
        solver_.add_address(value(&argument), object, Place::at(0));
      }
  for (const Function& function : module_) {
    if (model_of(function)) continue; // taken by its model
    find_loops(function);
    visit(const_cast<Function&>(function));
    // Every address that an instruction names can be asked for, also where no pointer moves.
    for (const Instruction& instruction : instructions(function))
      for (const Use& operand : instruction.operands())
        if (isa<Constant>(operand) && operand->getType()->isPointerTy()) value(operand);
  }
}

// --- The outside world --------------------------------------------------------------------------------

void ConstraintBuilder::add_outside() {
  unknown_ = new_object(ObjectKind::Unknown, nullptr);
  // Strings and other constants without a name, together: nothing ever writes them.
  constants_ = new_object(ObjectKind::Global, nullptr, "constant data");
  solver_.objects()[constants_].constant = solver_.objects()[constants_].no_pointers = true;
  for (unsigned i = 0; i < system_location_count; ++i) {
    system_.push_back(new_object(ObjectKind::System, nullptr));
    solver_.objects().back().system = SystemLocation(i);
  }
  outside_ = solver_.add_node();
  integers_ = solver_.add_node();
  anything_ = solver_.add_node();
  solver_.add_address(anything_, unknown_, Place::anywhere());
  solver_.add_copy(anything_, integers_);
  solver_.set_unknown(unknown_, outside_, anything_);
  solver_.add_listener(outside_, [this](const Location& location) { escape(location); });
}

// Called once for every location that the outside world gets hold of.
void ConstraintBuilder::escape(const Location& location) {
  if (!escaped_.insert(location.object).second) return;
  const MemoryObject& object = solver_.objects()[location.object];
  if (object.kind == ObjectKind::Function) {
    escape_function(*cast<Function>(object.site));
    return;
  }
  if (object.kind == ObjectKind::System || object.kind == ObjectKind::Unknown || object.no_pointers) return;
  bool constant = object.constant;
  solver_.add_copy(solver_.seen_at(location.object, Place::anywhere()), outside_);
  if (!constant) solver_.add_copy(anything_, solver_.stored_at(location.object, Place::anywhere()));
}

void ConstraintBuilder::escape_function(const Function& function) {
  if (function.isDeclaration()) return;
  escaped_functions_.insert(&function);
  for (const Argument& argument : function.args())
    bind_argument(argument, anything_);
  if (function.isVarArg())
    solver_.add_copy(anything_, solver_.stored_at(variable_arguments(function), Place::anywhere()));
  solver_.add_copy(returned(function), outside_);
  add_generic_result(function, outside_);
}

// Functions and variables that other objects or libraries may use by name; main's arguments.
void ConstraintBuilder::add_entry_points() {
  for (const Function& function : module_) {
    if (function.isDeclaration() || function.hasLocalLinkage()) continue;
    if (is_modelled_by_name(function.getName())) continue;
    if (function.getName() == "main") {
      for (const Argument& argument : function.args())
        bind_argument(argument, anything_);
      continue;
    }
    solver_.add_address(outside_, functions_[&function], Place::at(0));
  }
}

// --- Globals ----------------------------------------------------------------------------------------------

static std::optional<StandardStream> standard_stream(StringRef name) {
  return StringSwitch<std::optional<StandardStream>>(name)
      .Case("stdin", StandardStream::In)
      .Cases("stdout", "stderr", StandardStream::Out)
      .Default(std::nullopt);
}

ObjectId ConstraintBuilder::object_of(const GlobalVariable& global) {
  bool text = global.hasPrivateLinkage() && global.isConstant() && isa<ConstantData>(global.getInitializer());
  if (text) return constants_;
  auto [entry, fresh] = globals_.try_emplace(&global, 0);
  if (!fresh) return entry->second;
  std::optional<uint64_t> size;
  if (global.getValueType()->isSized() && !(global.isDeclaration() && global.getValueType()->isArrayTy()))
    size = layout_.getTypeAllocSize(global.getValueType()).getFixedValue();
  ObjectId id = new_object(ObjectKind::Global, &global, "", size);
  MemoryObject& object = solver_.objects()[id];
  object.type = global.getValueType();
  if (object.type->isSized())
    object.alignment = layout_.getValueOrABITypeAlignment(global.getAlign(), global.getValueType()).value();
  object.constant = global.isConstant();
  object.thread_local_ = global.isThreadLocal();
  object.no_pointers =
      global.isConstant() && global.hasInitializer() && isa<ConstantData>(global.getInitializer());
  return globals_[&global] = id;
}

void ConstraintBuilder::add_globals() {
  for (const Function& function : module_) {
    functions_[&function] = new_object(ObjectKind::Function, &function);
    solver_.objects().back().constant = true;
  }
  for (const GlobalVariable& global : module_.globals())
    object_of(global);
  for (const GlobalVariable& global : module_.globals()) {
    if (global.getName().starts_with("llvm.")) continue;
    ObjectId id = object_of(global);
    if (global.isDeclaration()) {
      if (auto stream = standard_stream(global.getName()))
        solver_.add_address(solver_.stored_at(id, Place::at(0)), system_object(SystemLocation::StdioChannel),
                            Place::at(int64_t(*stream) * stream_size));
      else
        solver_.add_address(outside_, id, Place::at(0));
      continue;
    }
    add_initializer(id, Place::at(0), *global.getInitializer());
    if (!global.hasLocalLinkage()) solver_.add_address(outside_, id, Place::at(0));
  }
}

static bool is_plain_data(const Constant& value) {
  return isa<ConstantData>(value) || !carries_pointer(value.getType());
}

void ConstraintBuilder::add_initializer(ObjectId object, const Place& place, const Constant& constant) {
  if (is_plain_data(constant)) return;
  if (auto* structure = dyn_cast<ConstantStruct>(&constant)) {
    const StructLayout* fields = layout_.getStructLayout(structure->getType());
    for (unsigned i = 0; i < structure->getNumOperands(); ++i)
      add_initializer(object, place.moved(int64_t(fields->getElementOffset(i))), *structure->getOperand(i));
    return;
  }
  if (isa<ConstantArray>(constant) || isa<ConstantVector>(constant)) {
    add_array_initializer(object, place, constant);
    return;
  }
  solver_.add_copy(value(&constant), solver_.stored_at(object, place));
}

void ConstraintBuilder::add_array_initializer(ObjectId object, const Place& place, const Constant& constant) {
  uint64_t count = constant.getNumOperands();
  int64_t step = layout_.getTypeAllocSize(constant.getOperand(0)->getType()).getFixedValue();
  bool shared = count > most_separate_elements && place.exact();
  for (uint64_t i = 0; i < count; ++i) {
    Place element = place.moved(int64_t(i) * step);
    // A field of a nested structure keeps the stride: moved() shifts the bounds with it.
    if (shared) element = {place.offset, uint64_t(step), place.offset, place.offset + int64_t(count) * step};
    add_initializer(object, element, *cast<Constant>(constant.getOperand(i)));
  }
}

} // namespace heddle
