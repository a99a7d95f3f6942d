// Problem: steps take from milliseconds to minutes, the work is deep in other rooms, in LLVM, or in another process.
//
// Choice: one line for the whole program, drawn by a thread of its own, so that it moves while the step's thread is in one long call.
// Whoever does the work says how far it is by a function that costs a lock, and needs to be handed nothing: what is drawn is no result.
#include "support/progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto first_after = std::chrono::milliseconds(500), redrawn_every = std::chrono::milliseconds(200);
constexpr unsigned bar_width = 20;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

unsigned columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void put(const std::string& text) {
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

std::string duration(double seconds) {
  const auto whole = uint64_t(std::lround(seconds));
  return whole < 120 ? llvm::formatv("{0} s", whole).str()
                     : llvm::formatv("{0} min {1} s", whole / 60, whole % 60).str();
}

// Shared by all threads; never destroyed, as stop_progress() may come at any time.
struct Line {
  std::mutex lock;
  std::condition_variable changed;
  bool taken = false, stopped = false, drawn = false;
  ProgressMade made;
  double begun_with = 0; // `done`, when this total was first heard of
  Clock::time_point begun_at, grown_at;
  std::function<ProgressMade()> ask;
};

Line& line() {
  static auto* the_line = new Line;
  return *the_line;
}

// With the lock held.
void take(Line& line, ProgressMade made) {
  if (made.total != line.made.total) {
    line.begun_with = made.done;
    line.begun_at = line.grown_at = Clock::now();
  } else if (made.done != line.made.done) {
    line.grown_at = Clock::now();
  }
  line.made = std::move(made);
}

void erase(Line& line) {
  if (line.drawn) put("\r\33[K");
  line.drawn = false;
}

// By the rate until the last news; from then on the time just passes.
std::optional<double> seconds_left(const Line& line) {
  const double grown = line.made.done - line.begun_with;
  if (grown <= 0) return std::nullopt;
  const double taken = std::chrono::duration<double>(line.grown_at - line.begun_at).count();
  return taken * (line.made.total - line.made.done) / grown - seconds_since(line.grown_at);
}

void draw(Line& line, const std::string& step, Clock::time_point begin) {
  if (line.ask) take(line, line.ask());
  put("\r" + progress_line(step, line.made, seconds_since(begin), seconds_left(line), columns()) + "\33[K");
  line.drawn = true;
}

} // namespace

std::string progress_line(llvm::StringRef step, const ProgressMade& made, double step_seconds,
                          std::optional<double> left, unsigned columns) {
  std::string text = "heddle: " + step.str();
  if (!made.what.empty()) text += ": " + made.what;
  if (made.total > 0) {
    const double share = std::clamp(made.done / made.total, 0.0, 1.0);
    const auto full = unsigned(share * bar_width);
    text += " [" + std::string(full, '#') + std::string(bar_width - full, '-') + "]";
    if (left) text += " " + duration(std::max(0.0, *left)) + " left";
  } else {
    text += " (" + duration(step_seconds) + ")";
  }
  // A line that is wrapped cannot be erased.
  if (text.size() >= columns) text.resize(columns > 0 ? columns - 1 : 0);
  return text;
}

struct Progress::Shown {
  std::string step;
  Clock::time_point begin = Clock::now();
  bool over = false;
  std::thread thread;
};

Progress::Progress(std::string step) {
  if (!llvm::sys::Process::StandardErrIsDisplayed()) return;
  Line& shared = line();
  const std::lock_guard<std::mutex> guard(shared.lock);
  if (shared.taken) return;
  shared.taken = true;
  shared.made = {};
  shown_ = std::make_unique<Shown>();
  shown_->step = std::move(step);
  shown_->thread = std::thread([shown = shown_.get(), &shared] {
    std::unique_lock<std::mutex> lock(shared.lock);
    auto next = shown->begin + first_after;
    while (!shared.changed.wait_until(lock, next, [&] { return shown->over || shared.stopped; })) {
      draw(shared, shown->step, shown->begin);
      next = Clock::now() + redrawn_every;
    }
    erase(shared);
  });
}

Progress::~Progress() {
  end();
}

void Progress::end() {
  if (!shown_) return;
  Line& shared = line();
  {
    const std::lock_guard<std::mutex> guard(shared.lock);
    shown_->over = true;
    shared.taken = false;
  }
  shared.changed.notify_all();
  shown_->thread.join();
  shown_.reset();
}

void progress_at(ProgressMade made) {
  Line& shared = line();
  const std::lock_guard<std::mutex> guard(shared.lock);
  if (shared.taken) take(shared, std::move(made));
}

FollowedProgress::FollowedProgress(std::function<ProgressMade()> ask) {
  Line& shared = line();
  const std::lock_guard<std::mutex> guard(shared.lock);
  if (shared.taken) shared.ask = std::move(ask);
}

FollowedProgress::~FollowedProgress() {
  Line& shared = line();
  const std::lock_guard<std::mutex> guard(shared.lock);
  shared.ask = nullptr;
}

void stop_progress() {
  Line& shared = line();
  const std::lock_guard<std::mutex> guard(shared.lock);
  erase(shared);
  shared.stopped = true;
}

} // namespace heddle
