#include "specialize/bpf/stopwatch.h"

#include "llvm/ADT/STLExtras.h"

#include <ctime>

namespace heddle {

Times Stopwatch::now() {
  auto read = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)};
}

void Stopwatch::begin(const char* phase) {
  end();
  phase_ = phase;
  since_ = now();
}

void Stopwatch::end() {
  if (!phase_) return;
  Times until = now();
  auto found = llvm::find_if(phases_, [&](const Phase& phase) { return phase.name == phase_; });
  if (found == phases_.end()) found = phases_.insert(found, {phase_, {}});
  found->times.wall += until.wall - since_.wall;
  found->times.processor += until.processor - since_.processor;
  phase_ = nullptr;
}

Times Stopwatch::total() const {
  Times until = now();
  return {until.wall - start_.wall, until.processor - start_.processor};
}

} // namespace heddle
