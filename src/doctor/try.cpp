#include "doctor/try.h"

#include "support/diagnostic.h"
#include "support/process.h"
#include "toolchain/wrapper.h"

#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

using llvm::StringRef;

namespace {

std::string contents(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

// Of compilers' and linkers' messages, the first that is one.
std::string first_error(const std::string& text) {
  llvm::SmallVector<StringRef, 16> lines;
  StringRef(text).split(lines, '\n', -1, false);
  for (StringRef line : lines)
    if (line.contains("error")) return line.trim().str();
  return lines.empty() ? "" : lines.front().trim().str();
}

std::string why(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(
      std::move(error), [&](const Diagnostic& diagnostic) { text = diagnostic.what(); },
      [&](const llvm::ErrorInfoBase& other) { text = other.message(); });
  return text;
}

} // namespace

Tried try_program(StringRef program, llvm::ArrayRef<std::string> args) {
  auto folder = TemporaryFolder::create("heddle-doctor");
  if (!folder) return {false, why(folder.takeError())};
  ProcessOptions options;
  options.stdin_path = "/dev/null";
  options.stdout_path = folder->file("out");
  options.stderr_path = folder->file("err");
  options.timeout_seconds = 30;
  auto result = run_process(program, args, options);
  if (!result) return {false, why(result.takeError())};
  if (result->ok()) return {true, contents(options.stdout_path)};
  if (result->timed_out) return {false, "it does not end"};
  std::string error = first_error(contents(options.stderr_path));
  return {false, error.empty() ? "it ends with status " + std::to_string(result->exit_status) : error};
}

TriedProgram::TriedProgram(StringRef source, llvm::ArrayRef<std::string> flags) {
  auto folder = TemporaryFolder::create("heddle-doctor");
  if (!folder) {
    made_ = {false, why(folder.takeError())};
    return;
  }
  folder_.emplace(std::move(*folder));
  auto clang = find_clang(/*cxx=*/false);
  if (!clang) {
    made_ = {false, why(clang.takeError())};
    return;
  }
  const std::string file = folder_->file("try.c");
  if (llvm::Error error = write_file(file, [&](llvm::raw_ostream& out) { out << source; })) {
    made_ = {false, why(std::move(error))};
    return;
  }
  std::vector<std::string> args{file, "-w", "-o", folder_->file("try")};
  args.insert(args.end(), flags.begin(), flags.end());
  made_ = try_program(*clang, args);
}

Tried TriedProgram::run(llvm::ArrayRef<std::string> args) const {
  return made_.ok ? try_program(folder_->file("try"), args) : made_;
}

} // namespace heddle
