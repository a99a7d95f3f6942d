// What objects and places in them are called, for the program's owner: by variable, by declared type and
// field, by the place that allocates.
#include "analysis/names.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

StringRef system_location_name(SystemLocation location) {
  static const char* const names[] = {"standard I/O channel",
                                      "file descriptor channel",
                                      "transmit port",
                                      "receive port",
                                      "system log",
                                      "declared output",
                                      "errno",
                                      "allocator state",
                                      "time source",
                                      "random state",
                                      "process exit",
                                      "non-local jump",
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

StringRef innermost_function(const Instruction& instruction) {
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
    text += " at " + source_of(site) + " in " + innermost_function(*site).str();
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
    std::string function = site ? innermost_function(*cast<Instruction>(site)).str() : "?";
    return twin + "stack variable " + (variable.empty() ? "" : variable + " ") + "of " + function;
  }
  case ObjectKind::Heap:
  case ObjectKind::Packet:
    return twin + heap_name(object);
  }
  llvm_unreachable("covered above");
}

// --- Fields from the debug information -----------------------------------------------------------------

const DIType* stripped_type(const DIType* type) {
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

const DIType* declared_type(const MemoryObject& object) {
  if (auto* global = dyn_cast_or_null<GlobalVariable>(object.site)) {
    SmallVector<DIGlobalVariableExpression*, 1> infos;
    global->getDebugInfo(infos);
    return infos.empty() ? nullptr : infos[0]->getVariable()->getType();
  }
  const DILocalVariable* variable = object.site ? local_variable(object.site) : nullptr;
  return variable ? variable->getType() : nullptr;
}

bool append_field_path(std::string& text, const DIType* type, uint64_t offset, bool any_element) {
  type = stripped_type(type);
  auto* composite = dyn_cast_or_null<DICompositeType>(type);
  if (!composite) return offset == 0;
  if (composite->getTag() == dwarf::DW_TAG_array_type) {
    const DIType* element = stripped_type(composite->getBaseType());
    uint64_t size = element ? element->getSizeInBits() / 8 : 0;
    if (size == 0) return false;
    text += any_element ? std::string("[*]") : "[" + std::to_string(offset / size) + "]";
    return append_field_path(text, element, offset % size, any_element);
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
  return append_field_path(text, best->getBaseType(), offset - best->getOffsetInBits() / 8, any_element);
}

std::string describe(const MemoryObject& object, const Place& place) {
  std::string name = name_of(object);
  if (object.kind == ObjectKind::System || object.kind == ObjectKind::Unknown || place.is_anywhere())
    return name;
  int64_t offset = place.exact() || place.low == Place::lowest ? place.offset : place.low;
  std::string path;
  if (const DIType* type = declared_type(object); type && offset >= 0)
    if (append_field_path(path, type, offset, !place.exact())) {
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
