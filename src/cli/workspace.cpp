#include "cli/workspace.h"

#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace heddle {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "": nothing is declared.
std::string config_of(const WorkspaceOptions& options) {
  if (!options.config.empty()) return options.config;
  llvm::SmallString<256> beside = llvm::sys::path::parent_path(options.program);
  llvm::sys::path::append(beside, "heddle.toml");
  return llvm::sys::fs::exists(beside) ? beside.str().str() : "";
}

} // namespace

void WorkspaceOptions::add_to(CLI::App& app) {
  app.add_option("PROGRAM", program, "executable built with heddle cc")->required();
  add_folder_to(app);
}

void WorkspaceOptions::add_folder_to(CLI::App& app) {
  app.add_option("--work", folder, "folder for Heddle's files (default: PROGRAM.heddle.d)");
  app.add_option("--config", config, "what is declared about the program (default: heddle.toml beside it)");
  app.add_option("--body", bodies,
                 "the packet body, instead of those Heddle finds: FUNCTION, FUNCTION:LINE or FUNCTION:INDEX "
                 "of a loop")
      ->allow_extra_args(false);
}

std::string WorkspaceOptions::work_folder() const {
  return folder.empty() ? program + ".heddle.d" : folder;
}

llvm::Expected<Workspace> Workspace::open(const WorkspaceOptions& options) {
  Workspace workspace;
  auto image = load_image(options.program);
  if (!image) return image.takeError();
  workspace.image_ = std::move(*image);
  workspace.folder_ = options.work_folder();
  workspace.prepare_.bodies = options.bodies;
  std::string config = config_of(options);
  if (!config.empty()) {
    auto declarations = read_declarations(config);
    if (!declarations) return declarations.takeError();
    workspace.prepare_.declarations = std::move(*declarations);
  }
  if (std::error_code ec = llvm::sys::fs::create_directories(workspace.folder_))
    return diagnose("cannot make the folder: " + ec.message(), "choose another with --work",
                    workspace.folder_);
  return std::move(workspace);
}

llvm::Expected<Program> Workspace::prepared() const {
  std::string saved = file("prepared.bc");
  if (llvm::sys::fs::exists(saved)) {
    llvm::Expected<Program> program = load_program(saved);
    if (program && program->id == program_id(image_, prepare_)) return program;
    if (!program) llvm::consumeError(program.takeError()); // of another version: made anew
  }
  llvm::Expected<Program> program = prepare(image_, prepare_);
  if (!program) return program;
  if (llvm::Error error = save_program(*program, saved)) return std::move(error);
  // Loaded again, so that the numbering never depends on what was in memory.
  return load_program(saved);
}

llvm::Expected<std::vector<std::string>> Workspace::arguments(std::vector<std::string> args) const {
  llvm::SmallString<256> folder(file("run"));
  (void)llvm::sys::fs::make_absolute(folder);
  if (std::error_code ec = llvm::sys::fs::create_directories(folder))
    return diagnose("cannot make the folder: " + ec.message(), "choose another with --work", folder);
  for (std::string& arg : args)
    for (size_t at; (at = arg.find("{out}")) != std::string::npos;)
      arg.replace(at, 5, folder.c_str());
  return std::move(args);
}

Step::Step(std::string name) : name_(std::move(name)), begin_(now()), progress_(name_) {}

void Step::done(const llvm::Twine& result) {
  progress_.end();
  llvm::errs() << "heddle: " << name_ << ": " << result << llvm::format(" (%.1f s)\n", now() - begin_);
}

} // namespace heddle
