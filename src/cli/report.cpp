// heddle report: what the other steps left in the work folder, as one HTML file, text or JSON.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/workspace.h"

#include "report/document.h"
#include "report/page.h"
#include "report/text.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  std::string out;
  JsonOption json;
  bool text = false;
  SourceOptions sources;
};

// A program, or its work folder.
std::string folder_of(const Options& options) {
  const bool is_folder = llvm::sys::fs::is_directory(options.workspace.program);
  return is_folder ? options.workspace.program : options.workspace.work_folder();
}

// "NAME" of a program or of its "NAME.heddle.d".
std::string name_of(const Options& options) {
  llvm::SmallString<256> path(options.workspace.program);
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  llvm::StringRef name = llvm::sys::path::filename(path);
  (void)name.consume_back(".heddle.d");
  return llvm::json::fixUTF8(name);
}

llvm::Error run(const Options& options) {
  const std::string folder = folder_of(options);
  auto inputs = read_report_inputs(folder);
  if (!inputs) return inputs.takeError();
  llvm::json::Object document = report_document(std::move(*inputs), options.sources);
  document["program"] = name_of(options);
  document["heddle"] = HEDDLE_VERSION;
  if (llvm::Error error = options.json.print([&](llvm::raw_ostream& out) {
        out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object(document))) << '\n';
      }))
    return error;
  if (options.text) print_report(document, options.json.text());
  if (options.text || options.json.wanted()) return llvm::Error::success();

  auto page = report_page(document);
  if (!page) return page.takeError();
  const std::string path = options.out.empty() ? folder + "/report.html" : options.out;
  if (llvm::Error error = write_file(path, [&](llvm::raw_ostream& out) { out << *page; })) return error;
  for (const llvm::json::Value& part : *document.getArray("left_out")) {
    const llvm::json::Object& left_out = *part.getAsObject();
    llvm::errs() << "heddle: report: " << *left_out.getString("section")
                 << " left out: " << *left_out.getString("why") << "; " << *left_out.getString("hint")
                 << '\n';
  }
  llvm::errs() << "heddle: report: " << path << '\n';
  return llvm::Error::success();
}

} // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("report", "show what was found, decided and measured: one HTML file");
  auto options = std::make_shared<Options>();
  command->add_option("PROGRAM", options->workspace.program, "the program, or its work folder")->required();
  command->add_option("--work", options->workspace.folder,
                      "folder for Heddle's files (default: PROGRAM.heddle.d)");
  command->add_option("-o,--output", options->out, "the page (default: report.html in the work folder)");
  command->add_flag("--text", options->text, "print it as text instead");
  options->json.add_to(*command);
  command
      ->add_option("--source", options->sources.folders,
                   "a folder to look for source files in, before those that the debug information names")
      ->allow_extra_args(false);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
