// Debug information behind the names of objects, for those that name locations (location_names.h).
#pragma once

#include "analysis/objects.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace heddle {

// The function as written: of the innermost inlined frame.
llvm::StringRef innermost_function(const llvm::Instruction& instruction);

// Of the variable that is the object; null for heap memory and where there is no debug information.
const llvm::DIType* declared_type(const MemoryObject& object);
// Without typedefs and qualifiers.
const llvm::DIType* stripped_type(const llvm::DIType* type);
// Appends ".field" and "[i]" for the way from `type` down to `offset`; false when it ends in the middle.
bool append_field_path(std::string& text, const llvm::DIType* type, uint64_t offset, bool any_element);

} // namespace heddle
