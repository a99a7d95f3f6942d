#include "program/source_files.h"

#include "program/program.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Support/Path.h"

namespace heddle {

namespace {

std::string path_of(const llvm::DIScope& scope) {
  llvm::SmallString<256> path = scope.getDirectory();
  llvm::sys::path::append(path, scope.getFilename());
  if (llvm::sys::path::is_absolute(scope.getFilename())) path = scope.getFilename();
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

} // namespace

std::map<std::string, std::string> source_files(const Program& program) {
  llvm::DebugInfoFinder finder;
  finder.processModule(*program.module);
  std::map<std::string, std::string> files;
  auto add = [&](const llvm::DIScope* scope) {
    if (!scope || scope->getFilename().empty()) return;
    const std::string path = path_of(*scope);
    // Both names that location_of() gives: that of an instruction's scope and that of a subprogram.
    for (const std::string& name : {short_file_name(*scope), scope->getFilename().str()})
      if (auto [known, fresh] = files.try_emplace(name, path); !fresh && known->second != path)
        known->second.clear();
  };
  for (const llvm::DISubprogram* subprogram : finder.subprograms())
    add(subprogram);
  for (const llvm::DIScope* scope : finder.scopes())
    add(scope);
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  return files;
}

} // namespace heddle
