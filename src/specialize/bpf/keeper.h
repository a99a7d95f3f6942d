// Swapping programs, and the promise that the original comes back.
//
// A process of its own holds the original program and what notices changes of tables. It waits for this one to end, however it
// ends (kill -9 included), puts the original back and ends, too. So a specialized version never runs without its watch, unless both are killed at
// once: then pins keep the watch in place (pins.h).
#pragma once

#include "specialize/bpf/attachment.h"
#include "specialize/bpf/pins.h"
#include "support/interrupt.h"

#include <memory>

namespace heddle {

class Keeper {
public:
  // To be called when everything that must live as long as a version is open, and before the first swap.
  // `pins`: null where there is no file system for them.
  static llvm::Expected<Keeper> start(const Attachment& attachment, const RunningProgram& original,
                                      const Pins* pins);
  Keeper(Keeper&&) noexcept;
  ~Keeper(); // puts the original back

  // Puts the program `next` in the place of what runs there now.
  llvm::Error replace(RunningProgram next);

  // Likewise the original, for as long as no version is worth its cost.
  llvm::Error replace_by_original();

  uint32_t now() const;

  // Puts the original back and ends the keeper. Fails where somebody else has replaced the program.
  llvm::Error restore();

private:
  struct Shared;
  struct State;
  explicit Keeper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace heddle
