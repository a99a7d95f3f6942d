// The section .heddle.link: how a program was linked, and the inputs without bitcode.
#pragma once

#include "toolchain/image.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

// Where the bitcode is: clang writes .llvmbc, and the wrapper renames it in every object that stays (see
// wrapper.cpp); only the driver's temporary objects keep clang's name.
inline constexpr const char* bitcode_section = ".heddle";
inline constexpr const char* clang_bitcode_section = ".llvmbc";
inline constexpr const char* bitcode_command_section = ".llvmcmd";
inline constexpr const char* link_section = ".heddle.link";

using CarriedFiles = std::vector<std::pair<std::string, std::string>>; // key -> bytes

inline bool is_bitcode_section(llvm::StringRef name) {
  return name == bitcode_section || name == clang_bitcode_section;
}

// What the section holds.
struct LinkRecord {
  LinkRecipe recipe;
  CarriedFiles carried;
  std::vector<std::string> without_bitcode;
};

// The bytes of the section: a magic word, the sizes, the recipe as JSON, the carried files one after another.
std::string encode_link_record(const LinkRecord& record);

// Reads the first record of the section. The error's text says what is wrong, without a location.
llvm::Expected<LinkRecord> decode_link_record(llvm::StringRef bytes);

// The recipe alone as JSON, on one line.
std::string recipe_as_json(const LinkRecord& record);

// A relocatable ELF object for this machine whose only content is the section `name` with `bytes`. It is
// neutral in a link: no executable stack, no effect on the control-flow protection of the program, and kept
// by --gc-sections.
std::string make_section_object(llvm::StringRef name, llvm::StringRef bytes);

} // namespace heddle
