#include "analysis/location_names.h"

#include "analysis/names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"

#include <map>

using namespace llvm;

namespace heddle {

// The name that the program uses: of the typedef, where there is one.
static StringRef type_name(const DIType* type) {
  while (auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    if (derived->getTag() == dwarf::DW_TAG_typedef) return derived->getName();
    type = derived->getBaseType();
  }
  return type ? type->getName() : "";
}

// What a variable that takes the result of the allocation points to: a struct or union with a name, or null.
static const DIType* allocated_type(const Value* site) {
  auto* call = dyn_cast_or_null<CallBase>(site);
  if (!call) return nullptr;
  SmallVector<DbgVariableIntrinsic*, 2> intrinsics;
  SmallVector<DbgVariableRecord*, 2> records;
  findDbgUsers(intrinsics, const_cast<CallBase*>(call), &records);
  SmallVector<const DILocalVariable*, 4> variables;
  for (const DbgVariableRecord* record : records)
    if (record->getExpression()->getNumElements() == 0) variables.push_back(record->getVariable());
  for (const DbgVariableIntrinsic* intrinsic : intrinsics)
    if (intrinsic->getExpression()->getNumElements() == 0) variables.push_back(intrinsic->getVariable());
  for (const DILocalVariable* variable : variables) {
    auto* pointer = dyn_cast_or_null<DIDerivedType>(stripped_type(variable->getType()));
    if (!pointer || pointer->getTag() != dwarf::DW_TAG_pointer_type) continue;
    const DIType* target = pointer->getBaseType();
    if (isa_and_nonnull<DICompositeType>(stripped_type(target)) && !type_name(target).empty()) return target;
  }
  return nullptr;
}

static bool sounds_like_wrapper(StringRef function) {
  for (StringRef word : {"alloc", "memalign", "strdup", "new_chunk"})
    if (function.contains_insensitive(word)) return true;
  return false;
}

// Where it is allocated, as written: of the frames that the optimiser has inlined into one another, the
// innermost that does more than allocate, and its caller.
static std::string heap_origin(const MemoryObject& object) {
  auto* site = dyn_cast_or_null<Instruction>(object.site);
  const DILocation* frame = site ? site->getDebugLoc().get() : nullptr;
  if (!frame) return name_of(object);
  auto function = [](const DILocation* location) { return location->getScope()->getSubprogram()->getName(); };
  while (frame->getInlinedAt() && sounds_like_wrapper(function(frame)))
    frame = frame->getInlinedAt();
  auto place = [](const DILocation* location) {
    StringRef file = location->getFilename();
    file.consume_front("./");
    return (file + ":" + Twine(location->getLine())).str();
  };
  std::string text = object.twin_of ? "published " : "";
  text += object.label.empty() ? "heap" : object.label;
  text += " at " + place(frame) + " in " + function(frame).str();
  if (const DILocation* caller = frame->getInlinedAt())
    text += ", called from " + function(caller).str() + " (" + place(caller) + ")";
  return text;
}

static std::string offset_text(const Place& place) {
  if (!place.exact() && place.stride == 1) return "";
  int64_t offset = place.exact() || place.low == Place::lowest ? place.offset : place.low;
  std::string text = (offset < 0 ? "" : "+") + std::to_string(offset);
  if (!place.exact()) text += " of each " + std::to_string(place.stride) + " bytes";
  return text;
}

const LocationNames::Origin& LocationNames::origin_of(const MemoryObject& object) {
  auto [place, fresh] = origins_.try_emplace(object.id);
  if (fresh) place->second = {heap_origin(object), allocated_type(object.site)};
  return place->second;
}

void LocationNames::find_types() {
  if (found_) return;
  found_ = true;
  DebugInfoFinder finder;
  finder.processModule(module_);
  for (const DIType* type : finder.types()) {
    if (auto* composite = dyn_cast<DICompositeType>(type); composite && !composite->isForwardDecl()) {
      StringRef name = composite->getIdentifier().empty() ? composite->getName() : composite->getIdentifier();
      if (!name.empty()) types_.try_emplace(name, composite);
    }
    auto* alias = dyn_cast<DIDerivedType>(type);
    if (alias && alias->getTag() == dwarf::DW_TAG_typedef)
      if (auto* composite = dyn_cast_or_null<DICompositeType>(alias->getBaseType()))
        typedefs_.try_emplace(composite, alias->getName());
  }
}

// "ngx_connection_t.read", if the aliasing tags of most accesses say so; else "".
std::string LocationNames::field_accessed(ArrayRef<const Instruction*> accesses) {
  std::map<std::pair<StringRef, uint64_t>, unsigned> votes;
  for (const Instruction* access : accesses) {
    const MDNode* tag = access->getMetadata(LLVMContext::MD_tbaa);
    if (!tag || tag->getNumOperands() < 3) continue;
    auto* base = dyn_cast<MDNode>(tag->getOperand(0));
    auto* offset = mdconst::dyn_extract<ConstantInt>(tag->getOperand(2));
    if (!base || !offset || base == tag->getOperand(1).get() || base->getNumOperands() == 0) continue;
    if (auto* name = dyn_cast<MDString>(base->getOperand(0)); name && !name->getString().empty())
      ++votes[{name->getString(), offset->getZExtValue()}];
  }
  auto most = std::max_element(votes.begin(), votes.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == votes.end() || 2 * most->second <= accesses.size()) return "";
  find_types();
  auto found = types_.find(most->first.first);
  if (found == types_.end()) return "";
  auto alias = typedefs_.find(found->second);
  std::string text = (alias == typedefs_.end() ? found->second->getName() : alias->second).str();
  append_field_path(text, found->second, most->first.second, false);
  return text;
}

LocationName LocationNames::name(const MemoryObject& object, const Place& place,
                                 ArrayRef<const Instruction*> accesses) {
  LocationName result;
  result.object = name_of(object);
  if (object.kind != ObjectKind::Heap && object.kind != ObjectKind::Packet) {
    result.full = describe(object, place);
    StringRef full = result.full;
    // "stack variable b.hits of main": the path lies within the name.
    auto [variable, function] = StringRef(result.object).rsplit(" of ");
    if (object.kind == ObjectKind::Stack && !function.empty() && full.consume_front(variable))
      full.consume_back((" of " + function).str());
    else
      full.consume_front(result.object);
    result.part = full.trim().str();
    return result;
  }
  const Origin& origin = origin_of(object);
  result.object = origin.text;
  int64_t offset = place.exact() || place.low == Place::lowest ? place.offset : place.low;
  const DIType* type = origin.type;
  std::string path;
  if (type && !place.is_anywhere() && offset >= 0 &&
      append_field_path(path, type, uint64_t(offset), !place.exact()) && !path.empty()) {
    result.part = path;
    result.full = type_name(type).str() + path + " (" + result.object + ")";
    result.object = type_name(type).str() + " (" + result.object + ")";
    return result;
  }
  result.part = field_accessed(accesses);
  if (!result.part.empty()) {
    result.full = result.part + " (" + result.object + ")";
  } else {
    result.part = offset_text(place);
    result.full = result.object + (result.part.empty() ? "" : " " + result.part);
  }
  if (type) {
    result.full = type_name(type).str() + ": " + result.full;
    result.object = type_name(type).str() + " (" + result.object + ")";
  }
  return result;
}

// "table[3].bytes" as "table[*].bytes".
static std::string with_any_element(StringRef name) {
  std::string result;
  while (!name.empty()) {
    auto [before, rest] = name.split('[');
    result += before;
    if (before.size() == name.size()) break;
    StringRef index = rest.take_while(isDigit);
    result += !index.empty() && rest.substr(index.size()).starts_with("]") ? "[*" : "[" + index.str();
    name = rest.substr(index.size());
  }
  return result;
}

bool is_meant(const Declaration& declaration, StringRef name, StringRef object) {
  auto is = [](StringRef text, StringRef meant) {
    const std::string all = with_any_element(text);
    return !text.empty() && (text == meant || text.split(" (").first == meant || all == meant ||
                             StringRef(all).split(" (").first == meant);
  };
  auto any_is = [&](ArrayRef<std::string> names) {
    return any_of(names, [&](StringRef meant) { return is(name, meant) || is(object, meant); });
  };
  if (declaration.kind == "keyed") return any_is(declaration.locations) || any_is(declaration.shared);
  if (declaration.is_of_all_memory()) return any_is(declaration.shared);
  return (declaration.kind == "declared" || declaration.kind == "scratch") && any_is(declaration.names);
}

} // namespace heddle
