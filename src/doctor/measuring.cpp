// How well measurements do here, and whether they have been made.
#include "doctor/checks.h"
#include "host/calibrate.h"
#include "host/clock.h"
#include "host/hosts.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

namespace heddle {

Check check_steadiness() {
  const Summary noise = measure_noise(50);
  Check check{"steady CPU", true, false,
              llvm::formatv("repetitions of one thing spread over {0:f1} %, {1} of {2} interrupted",
                            noise.spread_percent, noise.interrupted, noise.kept + noise.interrupted),
              "end what else runs on the machine before `heddle calibrate` and `heddle bench`"};
  if (llvm::Error error = check_noise(noise, CalibrateOptions().most_noise_percent)) {
    llvm::consumeError(std::move(error));
    check.found = false;
  }
  return check;
}

Check check_calibration() {
  const std::string file = own_host_file();
  Check check{"calibration", false, false, file, "`heddle calibrate`; until then plans use built-in figures"};
  if (!llvm::sys::fs::exists(file)) {
    check.what = "this machine has not been calibrated";
    return check;
  }
  auto host = read_host(file);
  if (!host) {
    check.what = file + " cannot be read";
    llvm::consumeError(host.takeError());
    return check;
  }
  const std::string changes = changes_since(*host, describe_machine());
  check.found = changes.empty();
  check.what =
      changes.empty() ? file + ", of " + host->machine.date : "this machine has changed since: " + changes;
  return check;
}

} // namespace heddle
