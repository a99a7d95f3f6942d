// Repeated measurements on a machine that others use, too.
#pragma once

#include "llvm/Support/Error.h"

#include "host/host.h"

#include <vector>

namespace heddle {

struct Summary {
  double median = 0;
  double spread_percent = 0; // distance of the quartiles, in per cent of the median
  unsigned kept = 0, interrupted = 0;
};

// Interrupts, other programs and the hypervisor only ever lengthen a measurement: what takes more than half as long again as the
// lower quartile is left out.
Summary summarise(std::vector<double> samples);

// "measured", with the median times `scale`.
Figure measured(const Summary& summary, double scale = 1);
Figure not_measured(const llvm::Twine& why);

// Is a fixed thing's repetition steady enough to measure anything else? Errors: it is not, with figures and what to do.
llvm::Error check_noise(const Summary& fixed, double most_percent);

// Did other programs leave the CPU to this one? `taken_percent`: of the time, that they had. Errors as above.
llvm::Error check_share(unsigned cpu, double taken_percent, double most_percent);

// y = a + b * x with the least squares. Two points with different x at least.
struct Line {
  double a = 0, b = 0;
};
Line fit_line(llvm::ArrayRef<std::pair<double, double>> points);

} // namespace heddle
