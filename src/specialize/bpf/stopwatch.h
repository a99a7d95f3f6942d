// What the making of a version takes, phase by phase.
#pragma once

#include <chrono>
#include <vector>

namespace heddle {

using Seconds = std::chrono::duration<double>;

// By the clock, and what of that this thread had a processor.
struct Times {
  Seconds wall{0}, processor{0};
};

class Stopwatch {
public:
  struct Phase {
    const char* name;
    Times times;
  };

  // Ends the phase before. A phase that comes again goes on: a version that is refused is made again.
  void begin(const char* phase);
  void end();

  Times total() const;
  const std::vector<Phase>& phases() const { return phases_; }

private:
  static Times now();

  Times start_ = now(), since_;
  std::vector<Phase> phases_;
  const char* phase_ = nullptr;
};

} // namespace heddle
