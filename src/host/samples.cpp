#include "host/samples.h"

#include "support/diagnostic.h"
#include "support/ratio.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace heddle {

namespace {

double at(const std::vector<double>& sorted, double share) {
  return sorted[size_t(share * double(sorted.size() - 1))];
}

constexpr const char* hint =
    "end what else runs on the machine and try again; or take worse figures with --noise PERCENT";

} // namespace

Summary summarise(std::vector<double> samples) {
  Summary summary;
  if (samples.empty()) return summary;
  llvm::sort(samples);
  const size_t all = samples.size();
  const double limit = 1.5 * at(samples, 0.25);
  samples.erase(std::upper_bound(samples.begin(), samples.end(), limit), samples.end());
  summary.kept = unsigned(samples.size());
  summary.interrupted = unsigned(all - samples.size());
  summary.median = median_of(samples);
  if (summary.median > 0)
    summary.spread_percent = 100 * (at(samples, 0.75) - at(samples, 0.25)) / summary.median;
  return summary;
}

Figure measured(const Summary& summary, double scale) {
  return {summary.median * scale, summary.spread_percent, "measured"};
}

Figure not_measured(const llvm::Twine& why) {
  return {0, 0, ("not measured: " + why).str()};
}

llvm::Error check_noise(const Summary& fixed, double most_percent) {
  const unsigned all = fixed.kept + fixed.interrupted;
  if (100 * fixed.interrupted > std::max(50.0, most_percent) * all)
    return diagnose(
        llvm::formatv("the machine is too noisy to measure: {0} of {1} repetitions of one chain of "
                      "additions were interrupted",
                      fixed.interrupted, all)
            .str(),
        hint);
  if (fixed.spread_percent > most_percent)
    return diagnose(
        llvm::formatv("the machine is too noisy to measure: repetitions of one chain of additions spread "
                      "over {0:f1} % of their median, and {1:f1} % are allowed",
                      fixed.spread_percent, most_percent)
            .str(),
        hint);
  return llvm::Error::success();
}

llvm::Error check_share(unsigned cpu, double taken_percent, double most_percent) {
  if (taken_percent <= most_percent) return llvm::Error::success();
  return diagnose(
      llvm::formatv("the machine is too noisy to measure: other programs had CPU {0} for {1:f0} % of the "
                    "time, and {2:f0} % are allowed",
                    cpu, taken_percent, most_percent)
          .str(),
      hint);
}

Line fit_line(llvm::ArrayRef<std::pair<double, double>> points) {
  double n = double(points.size()), x = 0, y = 0, xx = 0, xy = 0;
  for (auto [px, py] : points) {
    x += px;
    y += py;
    xx += px * px;
    xy += px * py;
  }
  Line line;
  line.b = (n * xy - x * y) / (n * xx - x * x);
  line.a = (y - line.b * x) / n;
  return line;
}

} // namespace heddle
