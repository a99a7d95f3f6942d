// All variants see the same paths: the folder of a run is moved away when it ends, and the next run finds a
// fresh one in its place. So a program that prints where it writes prints the same in every variant, and
// nothing that one run left can be read by the next.

#include "verify/sandbox.h"

#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace heddle {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

constexpr uint64_t smallest_rest = 1 << 20; // bytes that must be free when a run has ended

std::string absolute(llvm::StringRef file) {
  llvm::SmallString<128> result = file;
  (void)fs::make_absolute(result);
  return result.str().str();
}

std::string replace_all(std::string text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = 0; !from.empty() && (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

llvm::Error list_files(const std::string& folder, std::vector<std::string>& files) {
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec, false), end; it != end && !ec; it.increment(ec))
    if (it->type() != fs::file_type::directory_file) files.push_back(it->path().substr(folder.size() + 1));
  if (ec)
    return diagnose("cannot list: " + ec.message(), "check the permissions of what the program wrote",
                    folder);
  llvm::sort(files);
  return llvm::Error::success();
}

// Programs are found before the working folder changes.
std::string resolved_program(const std::string& program) {
  return program.find('/') == std::string::npos ? program : absolute(program);
}

} // namespace

llvm::Expected<Sandbox> Sandbox::create(CommandLine command) {
  auto folder = TemporaryFolder::create("heddle-run");
  if (!folder) return folder.takeError();
  for (const std::string& output : command.outputs)
    if (path::filename(output).empty())
      return diagnose("'" + output + "' is not a file name", "give the file that the program writes");
  return Sandbox(std::move(*folder), std::move(command));
}

Sandbox::Sandbox(TemporaryFolder folder, CommandLine command)
    : folder_(std::move(folder)), command_(std::move(command)), live_(folder_.file("run")) {}

std::string Sandbox::argument(const std::string& text) const {
  std::string result = replace_all(text, "{out}", live_);
  for (const std::string& output : command_.outputs)
    if (result.find(output) != std::string::npos)
      return replace_all(result, output, live_ + "/" + path::filename(output).str());
  if (result != text) return result;
  size_t value = result[0] == '-' || result.find('/') > result.find('=') ? result.find('=') + 1 : 0;
  std::string name = result.substr(value);
  if (name.empty() || path::is_absolute(name) || !fs::exists(name)) return result;
  return result.substr(0, value) + absolute(name);
}

std::string Sandbox::saved_name(const std::string& output) {
  return output + ".heddle-saved";
}

llvm::Error Sandbox::set_aside_declared(std::vector<UndoWhenInterrupted>& undo) const {
  for (const std::string& output : command_.outputs) {
    if (!fs::exists(output)) {
      undo.push_back(UndoWhenInterrupted::remove(output));
    } else if (fs::is_regular_file(output)) {
      undo.push_back(UndoWhenInterrupted::move_back(saved_name(output), output));
      if (llvm::Error error = rename_file(output, saved_name(output))) return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error Sandbox::collect_declared() const {
  for (const std::string& output : command_.outputs) {
    std::string copy = live_ + "/" + path::filename(output).str();
    if (fs::is_regular_file(output)) {
      std::error_code ec = fs::exists(copy) ? std::error_code() : fs::copy_file(output, copy);
      if (!ec) ec = fs::remove(output);
      if (ec) return diagnose("cannot move: " + ec.message(), "check the free space under TMPDIR", output);
    }
    if (std::string saved = saved_name(output); fs::exists(saved))
      if (llvm::Error error = rename_file(saved, output)) return error;
  }
  return llvm::Error::success();
}

llvm::Expected<CapturedRun> Sandbox::run(const Variant& variant, const ProcessOptions& base,
                                         const std::vector<std::string>& prefix) {
  if (std::error_code ec = fs::create_directory(live_))
    return diagnose("cannot make a folder: " + ec.message(), "set TMPDIR to a folder with free space", live_);
  CapturedRun run;
  std::string kept = folder_.file(std::to_string(runs_++));
  run.name = variant.name;
  run.stdout_path = kept + ".stdout";
  run.stderr_path = kept + ".stderr";
  run.folder = kept;

  std::vector<std::string> words = prefix;
  words.push_back(resolved_program(variant.program));
  for (const std::string& arg : command_.args)
    words.push_back(arg.empty() ? arg : argument(arg));

  ProcessOptions options = base;
  llvm::append_range(options.environment, command_.environment);
  llvm::append_range(options.environment, variant.environment);
  options.stdin_path = absolute(command_.stdin_path);
  options.stdout_path = run.stdout_path;
  options.stderr_path = run.stderr_path;
  options.directory = live_;
  options.timeout_seconds = command_.timeout_seconds;
  std::vector<UndoWhenInterrupted> undo;
  if (llvm::Error error = set_aside_declared(undo)) return std::move(error);
  auto process = run_process(words.front(), llvm::ArrayRef<std::string>(words).drop_front(), options);
  llvm::Error collected = collect_declared();
  if (!process) {
    (void)fs::remove_directories(live_);
    return llvm::joinErrors(process.takeError(), std::move(collected));
  }
  if (collected) return std::move(collected);
  // Outputs that a full disk cut short would be equal, and prove nothing.
  if (auto space = fs::disk_space(live_); space && space->available < smallest_rest) {
    (void)fs::remove_directories(live_);
    return diagnose("no space left for what the program writes", "set TMPDIR to a folder with free space",
                    live_);
  }
  run.process = *process;
  if (llvm::Error error = rename_file(live_, run.folder)) return std::move(error);
  if (llvm::Error error = list_files(run.folder, run.files)) return std::move(error);
  return run;
}

void Sandbox::discard(const CapturedRun& run) {
  (void)fs::remove_directories(run.folder);
  (void)fs::remove(run.stdout_path);
  (void)fs::remove(run.stderr_path);
}

} // namespace heddle
