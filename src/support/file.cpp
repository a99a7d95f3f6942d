#include "support/file.h"

#include "support/diagnostic.h"
#include "support/interrupt.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace heddle {

using llvm::Error;

std::string path_beside(llvm::StringRef path) {
  return path.str() + ".tmp." + std::to_string(getpid());
}

Error write_file(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream&)> write, bool executable) {
  std::string beside = path_beside(path);
  auto undo = UndoWhenInterrupted::remove(beside);
  auto fail = [&](std::error_code ec) {
    (void)llvm::sys::fs::remove(beside);
    return diagnose("cannot write: " + ec.message(), "check the permissions and the free space there", path);
  };
  std::error_code ec;
  llvm::raw_fd_ostream out(beside, ec, llvm::sys::fs::OF_None);
  if (ec) return fail(ec);
  write(out);
  out.close();
  if (out.has_error()) {
    ec = out.error();
    out.clear_error();
    return fail(ec);
  }
  if (executable) (void)llvm::sys::fs::setPermissions(beside, llvm::sys::fs::perms(0755));
  if ((ec = llvm::sys::fs::rename(beside, path))) return fail(ec);
  return Error::success();
}

Error rename_file(llvm::StringRef from, llvm::StringRef to) {
  if (std::error_code ec = llvm::sys::fs::rename(from, to))
    return diagnose("cannot write: " + ec.message(), "check the permissions and the free space there", to);
  return Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read_file(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return diagnose("cannot read: " + buffer.getError().message(), "check the path and its permissions",
                    path);
  return std::move(*buffer);
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create(llvm::StringRef prefix) {
  llvm::SmallString<128> model, path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, model);
  llvm::sys::path::append(model, prefix + "-%%%%%%%%");
  std::error_code ec;
  for (int i = 0; i < 100; ++i) {
    llvm::sys::fs::createUniquePath(model, path, /*MakeAbsolute=*/false);
    auto undo = UndoWhenInterrupted::remove(path.str().str());
    ec = llvm::sys::fs::create_directory(path, /*IgnoreExisting=*/false, llvm::sys::fs::owner_all);
    if (!ec) return TemporaryFolder(path.str().str(), std::move(undo));
    if (ec != std::errc::file_exists) break;
  }
  return diagnose("cannot make a temporary folder: " + ec.message(), "set TMPDIR to a folder with free space",
                  model);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) (void)llvm::sys::fs::remove_directories(path_);
}

} // namespace heddle
