#include "support/installed.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace heddle {

static llvm::SmallString<256> executable_folder() {
  static int here; // something inside this executable, for systems that tell its place by that
  return llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable("heddle", &here));
}

std::string installed_file(llvm::StringRef name) {
  llvm::SmallString<256> path;
  if (std::optional<std::string> folder = llvm::sys::Process::GetEnv("HEDDLE_LIB")) {
    path = *folder;
  } else {
    path = executable_folder();
    llvm::sys::path::append(path, "..", "lib", "heddle");
  }
  llvm::sys::path::append(path, name);
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

std::string shared_file(llvm::StringRef name) {
  llvm::SmallString<256> path = executable_folder();
  llvm::sys::path::append(path, "..", "share", "heddle", name);
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

} // namespace heddle
