// Ending early without leaving anything behind.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace heddle {

// From here on SIGINT, SIGTERM and SIGHUP (those that are not ignored) undo what the objects below stand for,
// say so in one line with a hint, and end the program by the same signal. Call once, in main, before any
// thread is made.
void undo_when_interrupted();

// After a child was ended by `signal`: Ctrl-C goes to child and parent alike, and then this program has been interrupted, rather than
// the child failed. Does not return if so.
void ended_by_signal(int signal);

// In a child, between fork and exec: signals are as they were before undo_when_interrupted().
void restore_signals_in_child();

// One thing to undo if the program is interrupted while the object lives. Without undo_when_interrupted() it
// does nothing.
class UndoWhenInterrupted {
public:
  UndoWhenInterrupted() = default;
  // Removes a file, or a folder with all in it.
  static UndoWhenInterrupted remove(std::string path);
  // Moves `from` over `to`, where it was before.
  static UndoWhenInterrupted move_back(std::string from, std::string to);
  // Ends a process (`group`: all of its group), by SIGTERM and, if it stays, by SIGKILL. `fork` makes it, and does not return in
  // it; no interrupt comes between that and here. `process`: what it returns; negative: nothing is to be undone.
  static UndoWhenInterrupted end(llvm::function_ref<pid_t()> fork, bool group, pid_t& process);

  UndoWhenInterrupted(UndoWhenInterrupted&& other) noexcept : key_(other.key_) { other.key_ = 0; }
  UndoWhenInterrupted& operator=(UndoWhenInterrupted&& other) noexcept;
  ~UndoWhenInterrupted() { forget(); }

private:
  explicit UndoWhenInterrupted(uint64_t key) : key_(key) {}
  void forget();

  uint64_t key_ = 0;
};

} // namespace heddle
