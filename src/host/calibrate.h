// Measuring the machine that Heddle runs on.
#pragma once

#include "host/host.h"

#include "llvm/Support/Error.h"

namespace heddle {

struct CalibrateOptions {
  bool quick = false;             // fewer repetitions, less code and data: to see that it works
  double most_noise_percent = 10; // of the core itself, before and after
};

// All figures of this machine, on the last CPU that this process may use. Takes some twenty seconds, and no privileges. Errors: too
// noisy (samples.h), no sizes of caches, no memory, no code that may be run.
llvm::Expected<Host> calibrate(const CalibrateOptions& options);

} // namespace heddle
