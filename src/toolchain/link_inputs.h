// What goes into a link, seen before the link runs.
#pragma once

#include "toolchain/command.h"
#include "toolchain/link_record.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

// Assembles one assembly input of the command to an object and returns its bytes, or nothing when that fails
// (the link itself will fail then, and say why).
using Assembler = llvm::function_ref<std::string(const DriverItem&)>;

// The record of the link that `command` asks for: every input classified, paths absolute, the objects and
// archive members without bitcode copied. Inputs that do not exist are left to the linker's own complaint.
LinkRecord record_link(const DriverCommand& command, bool cxx, Assembler assemble);

// True if the bytes are an ELF object that carries bitcode.
bool has_bitcode(llvm::StringRef object);

// Renames .llvmbc to .heddle in the object at `path`, in place. Files that are no such objects stay as they
// are.
void rename_bitcode_section(llvm::StringRef path);

// The archive's members without bitcode as an archive of their own; empty if there are none. `names` receives
// theirs. `path` is where the archive lies (thin archives refer to files beside it).
llvm::Expected<std::string> native_members(llvm::StringRef path, llvm::StringRef bytes,
                                           std::vector<std::string>& names);

} // namespace heddle
