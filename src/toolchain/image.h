// A program as `heddle cc` left it: an ELF file that carries its own bitcode and how it was linked.
//
// `heddle cc` compiles with the cc1 option -fembed-bitcode=bitcode. The section it makes (.llvmbc, renamed
// .heddle in objects that stay) holds the unoptimised bitcode of the translation unit, is not loaded, and is
// concatenated by any linker, through archives, `ld -r`, libtool and strip alike: the linked file carries
// exactly the modules that took part, without a word from the build system. The link step adds the section
// .heddle.link (JSON, see LinkRecipe).
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

// One input of the link, in command-line order.
struct LinkInput {
  enum class Kind {
    Argument, // an option handed to the driver as it is
    Bitcode,  // an object whose code is in the program's bitcode: left out when relinking
    Native,   // an object without bitcode (assembler, prebuilt): linked as it is, contents carried
    Archive,  // a static archive: members without bitcode are carried
    Library,  // a shared library or a system archive: by path
  };
  Kind kind;
  std::string text;    // the option, or the absolute path
  std::string content; // key of the carried copy (Native, Archive), empty when there is none
};

struct LinkRecipe {
  std::string compiler;  // "clang" or "clang++" of the link step
  std::string directory; // where it ran
  bool shared = false;   // -shared
  std::vector<LinkInput> inputs;
};

struct ProgramImage {
  std::string path;
  std::string id; // hex digest of the bitcode and the recipe: names the build in plans and profiles
  LinkRecipe link;
  std::vector<std::string> modules; // bitcode, one per translation unit, in link order
  std::vector<std::pair<std::string, std::string>> carried; // key -> bytes of native objects / archives
  // Objects and archive members that took part without bitcode, for the user to know what is not analysed.
  std::vector<std::string> without_bitcode;
};

// Errors: not an ELF file; no bitcode inside (built without heddle cc); truncated.
llvm::Expected<ProgramImage> load_image(llvm::StringRef path);

} // namespace heddle
