// Files that are either whole or absent.
#pragma once

#include "support/interrupt.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class raw_ostream;
} // namespace llvm

namespace heddle {

// Where a file is written before it is renamed to `path`.
std::string path_beside(llvm::StringRef path);

// Writes `path` through `write` beside the target and renames at the end, so that a reader, a full disk or
// an interrupt never sees half a file. `executable` sets mode 0755.
llvm::Error write_file(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream&)> write,
                       bool executable = false);

// Moves a finished temporary file over `path`.
llvm::Error rename_file(llvm::StringRef from, llvm::StringRef to);

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read_file(llvm::StringRef path);

// A folder under $TMPDIR that is removed with its contents when the object dies or the program is
// interrupted.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), undo_(std::move(other.undo_)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string file(llvm::StringRef name) const { return path_ + "/" + name.str(); }

private:
  TemporaryFolder(std::string path, UndoWhenInterrupted undo)
      : path_(std::move(path)), undo_(std::move(undo)) {}
  std::string path_;
  UndoWhenInterrupted undo_;
};

} // namespace heddle
