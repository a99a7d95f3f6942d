// How far a step is, on a terminal.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle {

// What a step is at. With a total, in whatever unit, a bar and the time left, by the rate so far; without, the time that has passed.
struct ProgressMade {
  std::string what; // "round 3 of 15"
  double done = 0, total = 0;
};

// While it lives, one line on standard error, redrawn several times a second: "heddle: bench: round 3 of 15 [###-----] 12 s left".
// Erased in the end. Nothing where standard error is no terminal, and nothing in the first half second. One at a time: while one
// lives, another does nothing.
class Progress {
public:
  explicit Progress(std::string step);
  Progress(Progress&& other) noexcept = default;
  Progress& operator=(Progress&&) = delete;
  ~Progress();
  void end(); // before its life's end

private:
  struct Shown;
  std::unique_ptr<Shown> shown_; // empty: nothing is shown
};

// Of the Progress that lives, wherever it is; without one, nothing happens.
void progress_at(ProgressMade made);
inline void progress_at(llvm::StringRef what) {
  progress_at(ProgressMade{what.str(), 0, 0});
}

// While it lives, `ask` says what progress_at() would be told, from another thread: of another process's work.
class FollowedProgress {
public:
  explicit FollowedProgress(std::function<ProgressMade()> ask);
  FollowedProgress(const FollowedProgress&) = delete;
  FollowedProgress& operator=(const FollowedProgress&) = delete;
  ~FollowedProgress();
};

// For good: somebody else is about to write on standard error, and the program to end.
void stop_progress();

// The line, at most `columns` wide. `step_seconds`: since the step began; `left`: none where it is not known yet.
std::string progress_line(llvm::StringRef step, const ProgressMade& made, double step_seconds,
                          std::optional<double> left, unsigned columns);

} // namespace heddle
