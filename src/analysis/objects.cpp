#include "analysis/objects.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>

using namespace llvm;

namespace heddle {

StringRef system_location_name(SystemLocation location) {
  static const char* const names[] = {"standard I/O channel",
                                      "file descriptor channel",
                                      "transmit port",
                                      "receive port",
                                      "system log",
                                      "errno",
                                      "allocator state",
                                      "time source",
                                      "random state",
                                      "process exit",
                                      "abnormal exit",
                                      "lock state",
                                      "environment",
                                      "thread state",
                                      "exception",
                                      "DPDK state",
                                      "outside world",
                                      "untraced memory"};
  static_assert(std::size(names) == system_location_count);
  return names[unsigned(location)];
}

static int64_t shifted(int64_t bound, int64_t by) {
  int64_t sum;
  if (bound == Place::lowest || bound == Place::highest) return bound;
  if (__builtin_add_overflow(bound, by, &sum)) return by > 0 ? Place::highest : Place::lowest;
  return sum;
}

Place Place::moved(int64_t by) const {
  if (is_anywhere()) return *this;
  // Offsets wrap around like the pointers they belong to.
  return {int64_t(uint64_t(offset) + uint64_t(by)), stride, shifted(low, by), shifted(high, by)};
}

static uint64_t distance(int64_t from, int64_t to, uint64_t modulus) {
  int64_t m = int64_t(modulus), r = (to % m - from % m) % m;
  return r < 0 ? r + m : r;
}

// First byte that may be touched, and the one after the last.
static std::pair<int64_t, int64_t> extent(const Place& place, uint64_t size) {
  int64_t first = place.exact() ? place.offset : place.low;
  int64_t last = place.exact()                  ? place.offset
                 : place.high == Place::highest ? Place::highest
                                                : place.high - 1;
  int64_t end;
  if (size > uint64_t(INT64_MAX) || __builtin_add_overflow(last, int64_t(size), &end)) end = Place::highest;
  return {first, end};
}

bool may_overlap(const Place& a, uint64_t size_a, const Place& b, uint64_t size_b) {
  if (size_a == 0 || size_b == 0) return false;
  auto [first_a, end_a] = extent(a, size_a);
  auto [first_b, end_b] = extent(b, size_b);
  if (first_a >= end_b || first_b >= end_a) return false;
  if (a.exact() && b.exact()) return true;
  uint64_t modulus = std::gcd(a.stride, b.stride);
  if (size_a >= modulus || size_b >= modulus) return true;
  return distance(a.offset, b.offset, modulus) < size_a || distance(b.offset, a.offset, modulus) < size_b;
}

// --- Names for people --------------------------------------------------------------------------------------

static std::string file_line(StringRef file, unsigned line) {
  if (file.empty() || line == 0) return "?";
  file.consume_front("./");
  return (file + ":" + Twine(line)).str();
}

std::string source_of(const Value* value) {
  if (!value) return "?";
  if (auto* instruction = dyn_cast<Instruction>(value)) {
    if (const DILocation* location = instruction->getDebugLoc().get())
      return file_line(location->getFilename(), location->getLine());
    if (auto* subprogram = instruction->getFunction()->getSubprogram())
      return file_line(subprogram->getFilename(), subprogram->getLine());
  }
  if (auto* argument = dyn_cast<Argument>(value)) value = argument->getParent();
  if (auto* function = dyn_cast<Function>(value))
    if (auto* subprogram = function->getSubprogram())
      return file_line(subprogram->getFilename(), subprogram->getLine());
  if (auto* global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression*, 1> infos;
    global->getDebugInfo(infos);
    if (!infos.empty())
      return file_line(infos[0]->getVariable()->getFilename(), infos[0]->getVariable()->getLine());
  }
  return "?";
}

// The function as written: of the innermost inlined frame.
static StringRef function_of(const Instruction& instruction) {
  if (const DILocation* location = instruction.getDebugLoc().get())
    if (const DISubprogram* subprogram = location->getScope()->getSubprogram()) return subprogram->getName();
  return instruction.getFunction()->getName();
}

static const DILocalVariable* local_variable(const Value* site) {
  auto* alloca = dyn_cast<AllocaInst>(site);
  if (!alloca) return nullptr;
  auto* instruction = const_cast<AllocaInst*>(alloca);
  // Optimised code has #dbg_assign or #dbg_value records in place of declarations; both forms of debug
  // information (records and intrinsics) occur in bitcode.
  for (DbgVariableRecord* record : at::getDVRAssignmentMarkers(instruction))
    return record->getVariable();
  for (DbgAssignIntrinsic* marker : at::getAssignmentMarkers(instruction))
    return marker->getVariable();
  SmallVector<DbgVariableIntrinsic*, 2> intrinsics;
  SmallVector<DbgVariableRecord*, 2> records;
  findDbgUsers(intrinsics, instruction, &records);
  for (DbgVariableRecord* record : records)
    if (record->isDbgDeclare() || record->getExpression()->startsWithDeref()) return record->getVariable();
  for (DbgVariableIntrinsic* marker : intrinsics)
    if (isa<DbgDeclareInst>(marker) || marker->getExpression()->startsWithDeref())
      return marker->getVariable();
  return nullptr;
}

static std::string heap_name(const MemoryObject& object) {
  std::string text = object.label.empty() ? "heap" : object.label;
  if (auto* site = dyn_cast_or_null<Instruction>(object.site))
    text += " at " + source_of(site) + " in " + function_of(*site).str();
  return text;
}

std::string name_of(const MemoryObject& object) {
  std::string twin = object.twin_of ? "published " : "";
  switch (object.kind) {
  case ObjectKind::Unknown:
    return "memory of the outside world";
  case ObjectKind::System:
    return system_location_name(object.system).str();
  case ObjectKind::Function:
  case ObjectKind::Global:
    if (auto* global = dyn_cast_or_null<GlobalVariable>(object.site)) {
      SmallVector<DIGlobalVariableExpression*, 1> infos;
      global->getDebugInfo(infos);
      if (!infos.empty() && !infos[0]->getVariable()->getName().empty())
        return twin + infos[0]->getVariable()->getName().str();
    }
    return twin + (object.site ? object.site->getName().str() : object.label);
  case ObjectKind::Stack: {
    const Value* site = object.site;
    if (!object.label.empty() && site) return object.label + " of " + site->getName().str();
    std::string variable = site ? site->getName().str() : "?";
    if (const DILocalVariable* info = site ? local_variable(site) : nullptr) variable = info->getName().str();
    if (auto* argument = dyn_cast_or_null<Argument>(site))
      return twin + "argument " + variable + " of " + argument->getParent()->getName().str();
    std::string function = site ? function_of(*cast<Instruction>(site)).str() : "?";
    return twin + "stack variable " + (variable.empty() ? "" : variable + " ") + "of " + function;
  }
  case ObjectKind::Heap:
  case ObjectKind::Packet:
    return twin + heap_name(object);
  }
  llvm_unreachable("covered above");
}

// --- Fields from the debug information -----------------------------------------------------------------

static const DIType* stripped(const DIType* type) {
  while (auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type &&
        tag != dwarf::DW_TAG_volatile_type && tag != dwarf::DW_TAG_restrict_type &&
        tag != dwarf::DW_TAG_atomic_type)
      break;
    type = derived->getBaseType();
  }
  return type;
}

static const DIType* declared_type(const MemoryObject& object) {
  if (auto* global = dyn_cast_or_null<GlobalVariable>(object.site)) {
    SmallVector<DIGlobalVariableExpression*, 1> infos;
    global->getDebugInfo(infos);
    return infos.empty() ? nullptr : infos[0]->getVariable()->getType();
  }
  const DILocalVariable* variable = object.site ? local_variable(object.site) : nullptr;
  return variable ? variable->getType() : nullptr;
}

// Appends ".field" and "[i]" for the way from `type` down to `offset`; false when it ends in the middle.
static bool append_path(std::string& text, const DIType* type, uint64_t offset, bool any_element) {
  type = stripped(type);
  auto* composite = dyn_cast_or_null<DICompositeType>(type);
  if (!composite) return offset == 0;
  if (composite->getTag() == dwarf::DW_TAG_array_type) {
    const DIType* element = stripped(composite->getBaseType());
    uint64_t size = element ? element->getSizeInBits() / 8 : 0;
    if (size == 0) return false;
    text += any_element ? std::string("[*]") : "[" + std::to_string(offset / size) + "]";
    return append_path(text, element, offset % size, any_element);
  }
  const DIDerivedType* best = nullptr;
  for (const DINode* node : composite->getElements()) {
    auto* member = dyn_cast<DIDerivedType>(node);
    if (!member || member->isStaticMember()) continue;
    if (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance) continue;
    uint64_t start = member->getOffsetInBits() / 8, size = std::max<uint64_t>(member->getSizeInBits() / 8, 1);
    if (offset >= start && offset < start + size) {
      best = member;
      break;
    }
  }
  if (!best) return false;
  if (!best->getName().empty()) text += "." + best->getName().str();
  return append_path(text, best->getBaseType(), offset - best->getOffsetInBits() / 8, any_element);
}

std::string describe(const MemoryObject& object, const Place& place) {
  std::string name = name_of(object);
  if (object.kind == ObjectKind::System || object.kind == ObjectKind::Unknown || place.is_anywhere())
    return name;
  int64_t offset = place.exact() || place.low == Place::lowest ? place.offset : place.low;
  std::string path;
  if (const DIType* type = declared_type(object); type && offset >= 0)
    if (append_path(path, type, offset, !place.exact())) {
      // "stack variable b of main": the path belongs to the variable.
      size_t end = object.kind == ObjectKind::Stack ? name.rfind(" of ") : name.size();
      return name.insert(end, path);
    }
  if (!place.exact() && place.stride == 1) return name;
  if (offset == 0 && place.exact()) return name;
  name += (offset < 0 ? " " : " +") + std::to_string(offset);
  if (!place.exact()) name += " of each " + std::to_string(place.stride) + " bytes";
  return name;
}

} // namespace heddle
