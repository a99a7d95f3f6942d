#include "analysis/location_keys.h"

#include "analysis/location_names.h"
#include "program/claims.h"

namespace heddle {

KeyedBy LocationKeys::declared(llvm::StringRef name, llvm::StringRef part_of, const MemoryObject* object,
                               llvm::ArrayRef<uint32_t> members) const {
  KeyedBy by;
  if (!is_on() || !options_.keys) return by;
  for (const Declaration& declaration : options_.declarations.all) {
    if (declaration.kind != "keyed") continue;
    by.number = claim_number(options_.declarations, declaration);
    const bool named = is_meant(declaration, name, part_of);
    const bool meant = !declaration.locations.empty() ? named
                       : !object                      ? false
                       : !declaration.shared.empty()  ? !named
                                                      : points_to(by.number, object->id);
    if (!meant) continue;
    by.name = declaration.names.front();
    by.reason = options_.declarations.place(declaration) + ": " + declaration.why;
    by.obstacle = unclaimed(by.number, members);
    return by;
  }
  return {};
}

KeyedBy LocationKeys::inferred(uint32_t write, llvm::ArrayRef<uint32_t> members,
                               InferredKeys::Roots& roots) const {
  KeyedBy by;
  if (!is_on() || !options_.inferred || !options_.keys) return by;
  roots = options_.inferred->roots_of(table_.keys()[write]);
  const auto claimed = claimed_as(roots);
  if (!claimed || *claimed < options_.first_inferred_key) return by;
  const llvm::Instruction& root = *roots.back(); // of a look-up, what it returns
  by.name = "pointer (" + location_of(root).str() + " in " + accesses_.function_name(root) + ")";
  by.reason = "packets reach it through the pointer that " + location_of(root).str() + " makes" +
              (roots.size() == 1 ? "" : ", and " + std::to_string(roots.size() - 1) + " more,") +
              " and in no other way";
  by.number = *claimed;
  by.inferred = true;
  by.obstacle = unclaimed(by.number, members);
  roots.clear();
  return by;
}

bool LocationKeys::points_to(unsigned number, ObjectId object) const {
  return llvm::any_of(options_.keys->values(number), [&](const llvm::Value* value) {
    return points_to_.objects_pointed_to(value).test(object);
  });
}

std::string LocationKeys::unclaimed(unsigned number, llvm::ArrayRef<uint32_t> members) const {
  for (uint32_t member : members)
    for (const auto& [unit, at] : table_.made_by(member))
      if (!table_.keys()[member].rare && !(claimed_before(unit) >> number & 1))
        return location_of(*at).str() + " in " + accesses_.function_name(*at) +
               " touches it before the packet has claimed the key";
  return "";
}

uint32_t LocationKeys::claimed_before(AccessTable::UnitId unit) const {
  auto [known, fresh] = claimed_before_.try_emplace(unit, ~0u);
  if (fresh)
    for (uint32_t node : table_.nodes_of(unit))
      known->second &= options_.keys->claimed(node);
  return known->second;
}

KeyedBy LocationKeys::inferred(llvm::ArrayRef<uint32_t> members) const {
  KeyedBy by;
  for (uint32_t member : members) {
    if (!table_.keys()[member].write) continue;
    InferredKeys::Roots unclaimed_roots;
    KeyedBy shown = inferred(member, members, unclaimed_roots);
    if (shown.name.empty() || (!by.name.empty() && by.number != shown.number)) return {};
    by = std::move(shown);
  }
  return by;
}

} // namespace heddle
