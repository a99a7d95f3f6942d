// Where the steps of one program leave their files, and how a step shows its progress.
#pragma once

#include "program/program.h"
#include "support/progress.h"

#include "CLI/CLI.hpp"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

// Options that every subcommand on a program takes.
struct WorkspaceOptions {
  std::string program;
  std::string folder;              // default: PROGRAM.heddle.d
  std::string config;              // --config; default: heddle.toml beside the program, if there is one
  std::vector<std::string> bodies; // --body
  void add_to(CLI::App& app);
  void add_folder_to(CLI::App& app); // all but the program
  std::string work_folder() const;   // `folder`, or its default
};

class Workspace {
public:
  // Loads the image and what is declared, and makes the folder.
  static llvm::Expected<Workspace> open(const WorkspaceOptions& options);

  const ProgramImage& image() const { return image_; }
  const Declarations& declarations() const { return prepare_.declarations; }
  // Instead of those of the file: a plan is applied to the program that it was made for.
  void declare(Declarations declarations) { prepare_.declarations = std::move(declarations); }
  const std::string& folder() const { return folder_; }
  std::string file(llvm::StringRef name) const { return folder_ + "/" + name.str(); }
  std::string profile_file() const { return file("profile.hprof"); }
  std::string plan_file() const { return file("plan.json"); }
  std::string path_file() const { return file("path.json"); } // src/report/path_file.h

  // The prepared module: from the folder when it is of this build and these options, else made and saved.
  llvm::Expected<Program> prepared() const;

  // A folder for what a profiled run writes, and the program's arguments with `{out}` replaced by it.
  llvm::Expected<std::vector<std::string>> arguments(std::vector<std::string> args) const;

private:
  ProgramImage image_;
  std::string folder_;
  PrepareOptions prepare_;
};

// One line on standard error per step: "heddle: profile: 10000 packets, 2.1 s"; on a terminal, how far it is until then.
class Step {
public:
  explicit Step(std::string name);
  void done(const llvm::Twine& result);

private:
  std::string name_;
  double begin_;
  Progress progress_;
};

} // namespace heddle
