#include "specialize/bpf/live.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace heddle {

namespace {

const char* name_of(HeatVerdict verdict) {
  switch (verdict) {
  case HeatVerdict::Unknown:
    return "unknown";
  case HeatVerdict::Hot:
    return "hot";
  case HeatVerdict::Even:
    return "even";
  case HeatVerdict::Churn:
    return "churn";
  }
  return "";
}

// One metric: its help and type, and a line for each sample, which `samples` writes.
class Metric {
public:
  Metric(llvm::raw_ostream& out, const char* name, const char* type, const char* help)
      : out_(out), name_(name) {
    out << "# HELP heddle_" << name << ' ' << help << "\n# TYPE heddle_" << name << ' ' << type << '\n';
  }

  // `labels`: as key="value", parted by commas; names of maps and interfaces need no escapes.
  void sample(const std::string& labels, double value) {
    out_ << "heddle_" << name_ << '{' << labels << "} " << llvm::formatv("{0:f3}", value) << '\n';
  }

private:
  llvm::raw_ostream& out_;
  const char* name_;
};

} // namespace

std::vector<LiveSite> live_sites(const Sampler& sampler) {
  std::vector<LiveSite> sites;
  for (const auto& [name, site] : sampler.sites())
    sites.push_back({name, site.map, site.heat.verdict(), site.heat.sampling(), site.heat.keys().size(),
                     site.heat.share()});
  return sites;
}

void print(const LiveReport& report, llvm::raw_ostream& out) {
  if (report.left) {
    out << report.attached_to << ": left alone: somebody else has replaced or removed its program\n";
    return;
  }
  const char* how = report.original ? "the original: there is nothing to gain"
                    : report.holds  ? "specialized"
                                    : "on the original: tables have changed";
  out << llvm::formatv("{0}: program {1}, epoch {2}, {3}\n", report.attached_to, report.program, report.epoch,
                       how);
  out << llvm::formatv("{0} versions, {1} confirmed, {2:f1} s spent on them\n", report.versions,
                       report.confirmed, report.making_seconds);
  out << llvm::formatv("{0} packets on the original because tables had changed\n", report.missed);
  if (report.packets_per_second)
    out << llvm::formatv("{0:f0} packets a second, {1:f3} % sampled\n", *report.packets_per_second,
                         *report.sampled_percent);
  else
    out << "nothing is sampled\n";
  constexpr const char* row = "  {0,-24} {1,-8} {2,-8} {3,8} {4,8}\n";
  if (!report.sites.empty()) out << llvm::formatv(row, "site", "heat", "sampled", "hot keys", "share");
  for (const LiveSite& site : report.sites)
    out << llvm::formatv(row, site.name, name_of(site.verdict), site.sampling ? "yes" : "resting",
                         site.hot_keys, llvm::formatv("{0:f0} %", 100 * site.share).str());
  for (const std::string& pass : report.passes)
    out << "  " << pass << '\n';
  out.flush();
}

void print_prometheus(llvm::ArrayRef<LiveReport> reports, llvm::raw_ostream& out) {
  auto at = [](const LiveReport& report) { return "attached_to=\"" + report.attached_to + "\""; };
  auto each = [&](const char* name, const char* type, const char* help,
                  llvm::function_ref<std::optional<double>(const LiveReport&)> value) {
    Metric metric(out, name, type, help);
    for (const LiveReport& report : reports)
      if (auto known = value(report)) metric.sample(at(report), *known);
  };
  auto each_site = [&](const char* name, const char* help,
                       llvm::function_ref<double(const LiveSite&)> value) {
    Metric metric(out, name, "gauge", help);
    for (const LiveReport& report : reports)
      for (const LiveSite& site : report.sites)
        metric.sample(at(report) + ",site=\"" + site.name + "\"", value(site));
  };
  each("program_id", "gauge", "Id of the version that runs.",
       [](const LiveReport& report) { return report.program; });
  each("specialized", "gauge", "1: packets take the specialized body.",
       [](const LiveReport& report) { return report.holds && !report.original; });
  each("table_epoch", "counter", "Changes of tables.",
       [](const LiveReport& report) { return double(report.epoch); });
  each("versions_total", "counter", "Versions made.",
       [](const LiveReport& report) { return report.versions; });
  each("confirmed_total", "counter", "Versions found right again.",
       [](const LiveReport& report) { return report.confirmed; });
  each("missed_packets_total", "counter", "Packets that took the original body because tables had changed.",
       [](const LiveReport& report) { return double(report.missed); });
  each("making_seconds_total", "counter", "Time spent on versions.",
       [](const LiveReport& report) { return report.making_seconds; });
  each("packets_per_second", "gauge", "By samples.",
       [](const LiveReport& report) { return report.packets_per_second; });
  each_site("hot_keys", "Keys of a site that are code.",
            [](const LiveSite& site) { return double(site.hot_keys); });
  each_site("hot_share", "Share of a site's lookups that its hottest keys have.",
            [](const LiveSite& site) { return site.share; });
}

} // namespace heddle
