// Scratch variables.
//
// Problem. A static buffer, or one that is declared in front of the packet loop, is written by every packet and used all along
// its path: one window holds everything between. Nothing is handed on in it from packet to packet. Alternatives:
// save and restore it at every switch (copies all of it each time), or give every packet in flight its own. Choice: its
// own, at an address that the code finds in the thread's state (src/transform/privatize.h), so a switch copies nothing.
//
// A variable is scratch when all of this holds.
//   Its address is the packet's own business:
//   - it is a variable of the program, of a thread, or of the function that holds the packet loop; that function does
//     not call itself;
//   - no shared object holds its address, and none that outside code can reach. Then every pointer to it that a packet
//     uses was made by this packet, from the variable's name or from a field of the body's environment, which nothing
//     in the body writes;
//   - no access is atomic or volatile, and no signal handler touches it;
//   - no packet leaves by longjmp, which would leave the thread with a packet's copy;
//   - exit handlers do not look at it;
//   - no packet uses a pointer of which nothing is known.
//   A variable that the user declares ([[scratch]] in heddle.toml) may be known elsewhere: that nobody keeps its address, and that its
//   function does not run within itself, is part of the statement. One of the function that holds the packet loop begins for each packet as what it is in front of the loop,
//   because such variables are often filled there in part.
//   Nobody reads what an earlier packet left there (exposure.h; or the user says so):
//   - no byte is read by a packet before the packet has written it, on any path;
//   - none is read by code outside of packet bodies before that code has written it again.
//   All bodies that touch it agree (analyse.cpp).
// Then a packet's copy holds at every read what the variable would hold in the original order. Addresses differ, which a
// program can tell by printing them.
//
// errno is the same kind of thing, with two differences. It is the C library's, so it stays where it is, and sites save and
// restore its value (transform/site.cpp). And it is written by the program's stores, and by a call that has failed: a
// branch on its result says so. A call that succeeds leaves it alone, so a read that has neither before it on some path
// finds what an earlier packet left, and errno keeps its window; likewise outside, after a packet loop. (Functions of
// other libraries are taken to read it in the body only.)
#include "analysis/scratch.h"

#include "analysis/names.h"
#include "analysis/rarity.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

namespace {

constexpr uint64_t largest = 64 << 10;       // of a variable with copies
constexpr uint64_t largest_proven = 4 << 10; // whose bytes are followed one by one
constexpr uint64_t largest_alignment = 64;

std::string place_of(const Instruction& at) {
  return location_of(at).str() + " in " + innermost_function(at).str();
}

// The field of the environment that a load or store of the body concerns; null pointer operand: none.
std::optional<int64_t> field_of(const Value* pointer, const Function& body) {
  APInt offset(64, 0);
  const Value* base =
      pointer->stripAndAccumulateConstantOffsets(body.getParent()->getDataLayout(), offset, true);
  if (base != body.getArg(0)) return std::nullopt;
  return offset.getSExtValue();
}

} // namespace

Scratch::Scratch(const PacketBody& body, ArrayRef<const Function*> bodies, const Effects& effects,
                 const Sharing& sharing, const AccessTable& table, const Exits& exits)
    : body_(body), bodies_(bodies.begin(), bodies.end()), effects_(effects), points_to_(effects.points_to()),
      table_(table), exits_(exits), environment_(points_to_.objects_pointed_to(body.body->getArg(0))),
      outside_(outside_functions()) {
  const auto& reach = effects.reach(*body.body);
  DenseSet<const Function*> body_functions(reach.begin(), reach.end());
  const bool only_fields = only_fields_are_used();
  ObjectSet environment = environment_; // test() caches
  for (const MemoryObject& object : points_to_.objects()) {
    const bool own = object.kind != ObjectKind::Packet && sharing.is_private(object.id) &&
                     made_per_packet(object, body_functions);
    if (!own && !(only_fields && environment.test(object.id))) held_ |= points_to_.contents(object.id);
  }
  for (const Function* function : run_by_signals(points_to_))
    if (!function->isDeclaration())
      for (const Access& access : effects.summary(*function))
        by_signals_.set(access.object);
}

// Is the environment used by loads and stores of its fields, and by nothing else?
bool Scratch::only_fields_are_used() const {
  if (environment_.count() != 1 || body_.is_callback()) return false;
  SmallVector<const Value*, 8> work{body_.body->getArg(0)};
  while (!work.empty()) {
    const Value* value = work.pop_back_val();
    for (const User* user : value->users()) {
      if (isa<LoadInst>(user)) continue;
      if (const auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() != value) continue;
      const auto* field = dyn_cast<GetElementPtrInst>(user);
      if (!field || !field->hasAllConstantIndices()) return false;
      work.push_back(field);
    }
  }
  return true;
}

// By which fields of the environment packets find the variable; none where it is not always the same address.
std::optional<std::vector<ScratchField>> Scratch::fields(const MemoryObject& object) const {
  std::vector<ScratchField> result;
  for (const Instruction& instruction : instructions(*body_.body)) {
    const auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy()) continue;
    std::optional<int64_t> field = field_of(load->getPointerOperand(), *body_.body);
    if (!field) continue;
    std::vector<Pointee> pointees = points_to_.points_to(load);
    if (none_of(pointees, [&](const Pointee& p) { return p.object == object.id; })) continue;
    const Place& place = pointees.front().place;
    if (pointees.size() != 1 || !place.exact() || place.offset < 0 || uint64_t(place.offset) >= *object.size)
      return std::nullopt;
    result.push_back({uint32_t(*field), uint32_t(place.offset)});
  }
  auto is_written = [&](const ScratchField& field) {
    return any_of(instructions(*body_.body), [&](const Instruction& instruction) {
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store) return false;
      std::optional<int64_t> at = field_of(store->getPointerOperand(), *body_.body);
      const uint64_t size =
          points_to_.module().getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
      return at && *at < int64_t(field.field) + 8 && *at + int64_t(size) > int64_t(field.field);
    });
  };
  if (any_of(result, is_written)) return std::nullopt;
  sort(result, [](const ScratchField& a, const ScratchField& b) { return a.field < b.field; });
  result.erase(unique(result, [](const auto& a, const auto& b) { return a.field == b.field; }), result.end());
  return result;
}

bool Scratch::outlives_packets(const MemoryObject& object) const {
  if (isa_and_nonnull<GlobalVariable>(object.site)) return true;
  const auto* alloca = dyn_cast_or_null<AllocaInst>(object.site);
  return alloca && body_.run && alloca->getFunction() == body_.run->getFunction();
}

std::string Scratch::obstacle(const MemoryObject& object, bool declared) const {
  const auto* alloca = dyn_cast<AllocaInst>(object.site);
  const auto* global = dyn_cast<GlobalVariable>(object.site);
  if (global && (global->isDeclaration() || global->isExternallyInitialized()))
    return "it is defined outside of the program";
  if (!object.size || *object.size == 0 || *object.size > largest || object.alignment > largest_alignment)
    return "it is too large for a copy per packet, or of no known size";
  if (points_to_.escapes(object.id) && !declared) return "code outside of the program may know its address";
  if (held_.test(object.id) && !declared) return "its address is kept in memory that packets share";
  if (!fields(object)) return "its address is handed on from packet to packet";
  const bool nests =
      alloca && !declared && any_of(effects_.reach(*alloca->getFunction()), [&](const Function* reached) {
        return any_of(instructions(*reached), [&](const Instruction& instruction) {
          const auto* call = dyn_cast<CallBase>(&instruction);
          return call && is_contained(points_to_.callees(*call), alloca->getFunction());
        });
      });
  if (alloca && (!alloca->isStaticAlloca() || nests)) return "its function may run more than once at a time";
  for (const Access& access : effects_.summary(*body_.body))
    if (access.object == object.id && access.atomic) return "other threads see it: " + place_of(*access.at);
  if (!declared && !table_.keys_of(points_to_.system_object(SystemLocation::Untraced)).empty())
    return "a pointer to which no assignment is known may reach it";
  if (by_signals_.test(object.id)) return "a signal handler uses it";
  if (!declared && !table_.keys_of(points_to_.system_object(SystemLocation::Jump)).empty())
    return "a packet may jump out of the loop";
  if (!exits_.all().empty() && exits_.show(object)) return "an exit handler looks at it";
  return "";
}

// Functions that nothing in the program calls, but for the packet bodies: main, constructors.
std::vector<const Function*> Scratch::outside_functions() const {
  DenseSet<const Function*> called(bodies_.begin(), bodies_.end());
  for (const Function& function : points_to_.module())
    for (const Instruction& instruction : instructions(function))
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        for (const Function* callee : points_to_.callees(*call))
          called.insert(callee);
  std::vector<const Function*> result;
  for (const Function& function : points_to_.module())
    if (!function.isDeclaration() && !called.contains(&function)) result.push_back(&function);
  return result;
}

std::string Scratch::exposed_to_packets(ObjectId object, uint64_t size, bool of_errno) const {
  Exposure exposure(effects_, bodies_, object, size, {of_errno, true});
  const Instruction* at = exposure.exposed_read(*body_.body);
  return at ? "a packet may read what an earlier one left: " + place_of(*at) : "";
}

std::string Scratch::exposed_outside(ObjectId object, uint64_t size, bool of_errno) const {
  Exposure exposure(effects_, bodies_, object, size, {of_errno, !of_errno});
  const auto* alloca = dyn_cast_or_null<AllocaInst>(points_to_.objects()[object].site);
  const std::vector<const Function*> home(alloca ? 1 : 0, alloca ? alloca->getFunction() : nullptr);
  for (const Function* function : alloca ? home : outside_) // a variable of a function lives only there
    if (const Instruction* at = exposure.read_after_packets(*function))
      return "it may be read after the packet loop: " + place_of(*at);
  return "";
}

std::string Scratch::exposed(const MemoryObject& object) const {
  if (*object.size > largest_proven) return "it is too large to follow its bytes one by one";
  std::string found = exposed_to_packets(object.id, *object.size, false);
  return found.empty() ? exposed_outside(object.id, *object.size, false) : found;
}

std::string Scratch::errno_exposed_to_packets() const {
  return exposed_to_packets(points_to_.system_object(SystemLocation::Errno), sizeof(int), true);
}

std::string Scratch::errno_exposed_outside() const {
  return exposed_outside(points_to_.system_object(SystemLocation::Errno), sizeof(int), true);
}

ScratchVariable Scratch::describe(const MemoryObject& object, bool declared) const {
  ScratchVariable made;
  made.global = isa<GlobalVariable>(object.site);
  made.name = made.global ? object.site->getName().str() : name_of(object);
  made.bytes = uint32_t(*object.size);
  made.alignment = uint32_t(object.alignment);
  made.begins_as_before = declared && !made.global;
  made.fields = *fields(object);
  return made;
}

} // namespace heddle
