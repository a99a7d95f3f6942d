// Where the steps of one program leave their files, and the steps that several subcommands share.
#pragma once

#include "analysis/analyse.h"
#include "plan/plan.h"
#include "profile/icache.h"
#include "profile/trace.h"
#include "program/program.h"

#include "CLI/CLI.hpp"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

// Options that every subcommand on a program takes.
struct WorkspaceOptions {
  std::string program;
  std::string folder;              // default: PROGRAM.heddle.d
  std::vector<std::string> bodies; // --body
  void add_to(CLI::App& app);
};

class Workspace {
public:
  // Loads the image and makes the folder.
  static llvm::Expected<Workspace> open(const WorkspaceOptions& options);

  const ProgramImage& image() const { return image_; }
  std::string file(llvm::StringRef name) const { return folder_ + "/" + name.str(); }
  std::string profile_file() const { return file("profile.hprof"); }
  std::string plan_file() const { return file("plan.json"); }

  // The prepared module: from the folder when it is of this build and these options, else made and saved.
  llvm::Expected<Program> prepared() const;

  // A folder for what a profiled run writes, and the program's arguments with `{out}` replaced by it.
  llvm::Expected<std::vector<std::string>> arguments(std::vector<std::string> args) const;

private:
  ProgramImage image_;
  std::string folder_;
  PrepareOptions prepare_;
};

struct PlanningOptions {
  std::string policy = "optimistic-bound";
  std::string budget; // "32K" of instruction cache; empty: the host's level-1 instruction cache
  unsigned batch = 32;
  std::vector<std::string> without;
  void add_to(CLI::App& app);
};

struct Planned {
  Plan plan;
  FootprintMap footprint;
  std::vector<CutGraph> graphs;
  double analysis_seconds = 0;
};

llvm::Expected<Planned> make_plan_for(const Workspace& workspace, const Program& program, const Trace& trace,
                                      const PlanningOptions& options);

// Misses per thousand instructions of the trace as it ran and as the plan would have it run (simulated).
struct SimulatedMisses {
  std::string cache; // "32K:8"
  CacheResult original, staged;
};
llvm::Expected<std::vector<SimulatedMisses>> simulate(const Trace& trace, const Planned& planned,
                                                      llvm::ArrayRef<CacheGeometry> caches);

void print_misses(llvm::ArrayRef<SimulatedMisses> misses, llvm::raw_ostream& out);

// "6 stages, 14 sites", or why there are none.
std::string summary_of(const Plan& plan);

// One line on standard error per step: "heddle: profile: 10000 packets, 2.1 s".
class Step {
public:
  explicit Step(std::string name);
  void done(const llvm::Twine& result);

private:
  std::string name_;
  double begin_;
};

} // namespace heddle
