// `heddle plan --explain`: what holds the packet body together, for the owner of the program.
//
// The reader wants to know which change to the program (or which statement about it) would give a better
// plan. So windows come largest first, each with the two places that bound it, how much of the packet lies
// between, and what would free it. Small windows cost nothing and are only counted.

#include "plan/plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <tuple>

namespace heddle {

using llvm::formatv;

namespace {

constexpr size_t windows_in_full = 20; // then one line for the rest
constexpr size_t accesses_at_ends = 3; // shown at each end of a window
constexpr size_t relaxed_per_verdict = 10;
constexpr size_t parts_shown = 12; // of one object
constexpr size_t objects_shown = 4;
constexpr size_t places_shown = 3; // of one remark
constexpr unsigned text_width = 110;
constexpr unsigned indent = 23;

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// "label      text", wrapped at words, aligned.
void paragraph(llvm::raw_ostream& out, llvm::StringRef label, llvm::StringRef text) {
  out << "     " << llvm::left_justify(label, indent - 5);
  unsigned column = indent;
  llvm::SmallVector<llvm::StringRef, 32> words;
  text.split(words, ' ', -1, false);
  for (llvm::StringRef word : words) {
    if (column > indent && column + 1 + word.size() > text_width) {
      out << '\n' << std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out << ' ';
      ++column;
    }
    out << word;
    column += unsigned(word.size());
  }
  out << '\n';
}

struct Line {
  const LocationAccess* access;
  bool read, write;
};

// The accesses with those of one source line merged, in the same order.
std::vector<Line> merged_lines(const PlannedWindow& window) {
  std::vector<Line> lines;
  std::map<std::pair<PooledText, PooledText>, size_t> seen;
  for (const LocationAccess& access : window.accesses) {
    if (access.at.empty()) continue;
    auto [place, fresh] = seen.try_emplace({access.function, access.at}, lines.size());
    if (fresh) lines.push_back({&access, false, false});
    (access.write ? lines[place->second].write : lines[place->second].read) = true;
  }
  return lines;
}

void explain_accesses(const PlannedWindow& window, llvm::raw_ostream& out) {
  std::vector<Line> lines = merged_lines(window);
  size_t width = 0;
  for (const Line& line : lines)
    width = std::max(width, std::min<size_t>(line.access->at.str().size(), 40));
  for (size_t i = 0; i != lines.size(); ++i) {
    if (i == accesses_at_ends && lines.size() > 2 * accesses_at_ends + 1) {
      size_t left_out = lines.size() - 2 * accesses_at_ends;
      paragraph(out, "", formatv("... {0} more ...", left_out).str());
      i += left_out;
    }
    const Line& line = lines[i];
    const char* label = lines.size() == 1 ? "accessed" : i == 0 ? "from" : i + 1 == lines.size() ? "to" : "";
    const char* kind = line.read && line.write ? "reads, writes" : line.write ? "writes" : "reads";
    out << "     " << llvm::left_justify(label, indent - 5)
        << llvm::left_justify(line.access->at.empty() ? "?" : llvm::StringRef(line.access->at),
                              unsigned(width))
        << "  " << llvm::left_justify(kind, 13) << "  " << line.access->function.str() << '\n';
  }
}

// Fields by name first; offsets, which say little to a reader, are only counted when there are names.
std::string joined_parts(const std::vector<std::string>& parts) {
  std::vector<std::string> names, offsets;
  for (const std::string& part : parts)
    if (!part.empty()) (part[0] == '+' || part[0] == '-' ? offsets : names).push_back(part);
  bool any_part = names.size() + offsets.size() != parts.size();
  std::vector<std::string>& shown = names.empty() ? offsets : names;
  size_t more = shown.size() > parts_shown ? shown.size() - parts_shown : 0;
  shown.resize(shown.size() - more);
  std::string text = llvm::join(shown, ", ");
  if (more) text += formatv(" and {0} more", more);
  if (!names.empty() && !offsets.empty())
    text += formatv("; {0} others known by their offset only", offsets.size());
  if (any_part) text += "; and by accesses that may be anywhere in it";
  return text;
}

std::string joined_objects(const std::vector<std::string>& objects) {
  size_t shown = std::min(objects.size(), objects_shown);
  std::string text = llvm::join(llvm::ArrayRef(objects).take_front(shown), "; ");
  if (objects.size() > shown) text += formatv("; and {0} more (in the plan file)", objects.size() - shown);
  return text;
}

// What packets of the sample did, by time: the owner reads it as the way of a packet.
void explain_sampled(const PlannedWindow& window, llvm::raw_ostream& out) {
  auto is_write = [](const SampledAccess& access) { return access.write; };
  const auto& sampled = window.sampled;
  auto first_write = llvm::find_if(sampled, is_write);
  size_t width = 0;
  for (const SampledAccess& access : sampled)
    width = std::max(width, access.at.size());
  for (size_t i = 0; i != sampled.size(); ++i) {
    const SampledAccess& access = sampled[i];
    bool first = first_write != sampled.end() && &access == &*first_write;
    const char* label = sampled.size() == 1       ? "accessed"
                        : i == 0                  ? "first access"
                        : i + 1 == sampled.size() ? "last access"
                        : first                   ? "first write"
                                                  : "last write";
    out << "     " << llvm::left_justify(label, indent - 5) << llvm::left_justify(access.at, unsigned(width))
        << (access.write ? "  writes  " : "  reads   ")
        << formatv("{0,3:f0} % into the packet  {1}\n", 100 * access.when, access.function);
  }
}

void explain_window(const Plan& plan, const PlannedWindow& window, size_t number, llvm::raw_ostream& out) {
  out << llvm::format("\n%3zu. ", number) << window.name << '\n';
  if (window.objects.size() > 1) paragraph(out, "one of", joined_objects(window.objects));
  if (window.parts.size() > 1)
    paragraph(out, window.objects.size() > 1 ? "its parts" : "parts", joined_parts(window.parts));
  paragraph(out, "holds together",
            formatv("{0:f1} % of a packet's instructions ({1}), {2:f0} cache lines = {3:f0} % of the budget",
                    100 * window.heat_share, window.instructions, window.cost,
                    percent(window.cost, plan.budget))
                .str());
  if (window.region_share > window.heat_share + 0.0005)
    paragraph(
        out, "with others",
        formatv("windows that overlap it make it {0:f1} % in one piece", 100 * window.region_share).str());
  if (window.sampled.empty())
    explain_accesses(window, out);
  else
    explain_sampled(window, out);
  if (!window.reason.empty()) paragraph(out, "why", window.reason);
  paragraph(out, "would be freed by",
            window.would_free.empty() ? "nothing that Heddle knows" : window.would_free);
  std::string gain = formatv("the largest piece that cannot be cut would be {0:f1} % of the packet",
                             100 * window.freed_alone);
  if (number > 1)
    gain += formatv(", and {0:f1} % with all of the above freed too", 100 * window.freed_with_larger);
  paragraph(out, "then", gain);
}

std::map<std::string, std::vector<const PlannedRelaxation*>> by_verdict(const BodyPlan& body) {
  std::map<std::string, std::vector<const PlannedRelaxation*>> verdicts;
  for (const PlannedRelaxation& relaxed : body.relaxed)
    verdicts[relaxed.verdict].push_back(&relaxed);
  return verdicts;
}

// The figures of the NanoPL paper's table 3.
void explain_figures(const Plan& plan, const BodyPlan& body, llvm::raw_ostream& out) {
  paragraph(out, "packet",
            formatv("{0:f0} instructions, {1:f0} cache lines; budget {2:f0} lines, batch {3}",
                    body.instructions, body.footprint, plan.budget, plan.batch)
                .str());
  size_t held = 0, cold = 0;
  for (const PlannedWindow& window : body.windows) {
    held += window.locations;
    cold += window.ran ? 0 : window.locations;
  }
  std::string shared = formatv("{0}: {1} with a window", body.shared_locations, held).str();
  for (const auto& [verdict, locations] : by_verdict(body))
    shared += formatv(", {0} {1}", locations.size(), verdict).str();
  paragraph(out, "shared locations", shared);
  if (body.windows.empty()) return;
  const PlannedWindow& largest = body.windows.front();
  paragraph(out, "largest window",
            formatv("{0} instructions ({1:f1} % of the packet), {2:f0} lines = {3:f1} % of the L1 "
                    "instruction cache",
                    largest.instructions, 100 * largest.heat_share, largest.cost,
                    percent(largest.cost, plan.icache_lines))
                .str());
  paragraph(out, "all windows",
            formatv("{0:f0} instructions ({1:f1} % of the packet), {2:f1} % of the body's code",
                    body.window_heat, percent(body.window_heat, body.instructions),
                    percent(body.window_lines, body.static_lines))
                .str());
  if (cold)
    paragraph(out, "never touched",
              formatv("{0} of the {1} locations with a window are touched only by code that no packet of the "
                      "sample ran; with a rare path for that code the largest piece that cannot be cut "
                      "would be {2:f1} % of the packet",
                      cold, held, 100 * body.freed_rare)
                  .str());
}

void explain_relaxed(const BodyPlan& body, llvm::raw_ostream& out) {
  if (body.relaxed.empty()) return;
  out << "\n  locations that need no window\n";
  for (const auto& [verdict, locations] : by_verdict(body)) {
    out << "\n     " << verdict << " (" << locations.size() << ")\n";
    for (size_t i = 0; i != std::min(locations.size(), relaxed_per_verdict); ++i)
      out << "       " << locations[i]->name << ": " << locations[i]->reason << '\n';
    if (locations.size() > relaxed_per_verdict)
      out << "       ... and " << locations.size() - relaxed_per_verdict << " more (in the plan file)\n";
  }
}

void explain_windows(const Plan& plan, const BodyPlan& body, llvm::raw_ostream& out) {
  if (body.windows.empty()) return;
  out << "\n  windows, largest first\n";
  for (size_t i = 0; i != std::min(body.windows.size(), windows_in_full); ++i)
    explain_window(plan, body.windows[i], i + 1, out);
  if (body.windows.size() <= windows_in_full) return;
  const PlannedWindow& next = body.windows[windows_in_full];
  out << formatv("\n     ... and {0} more, none above {1:f1} % of the packet (in the plan file)\n",
                 body.windows.size() - windows_in_full, 100 * next.heat_share);
}

void explain_body(const Plan& plan, const BodyPlan& body, llvm::raw_ostream& out) {
  out << body.body << ": " << (body.source.empty() ? "?" : body.source) << '\n';
  explain_figures(plan, body, out);
  paragraph(out, "outcome",
            body.sites.empty()
                ? "not staged"
                : formatv("{0} stages, {1} sites", body.stages.size(), body.sites.size()).str());
  explain_windows(plan, body, out);
  explain_relaxed(body, out);
}

// Remarks of the same kind that say the same, once with their places.
void explain_remarks(const std::vector<Remark>& remarks, llvm::raw_ostream& out) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> places;
  auto key = [](const Remark& remark) { return std::tuple(remark.code, remark.what, remark.hint); };
  for (const Remark& remark : remarks)
    if (auto& known = places[key(remark)]; !llvm::is_contained(known, remark.where))
      known.push_back(remark.where);
  for (const Remark& remark : remarks) {
    auto found = places.find(key(remark));
    if (found == places.end()) continue; // told before
    std::vector<std::string>& where = found->second;
    size_t count = where.size();
    where.resize(std::min(count, places_shown));
    out << "remark [" << remark.code << "] " << llvm::join(where, ", ");
    if (count > where.size()) out << formatv(" and {0} more places", count - where.size());
    out << '\n';
    paragraph(out, "", remark.what);
    paragraph(out, "hint", remark.hint);
    places.erase(found);
  }
}

} // namespace

void explain_plan(const Plan& plan, llvm::raw_ostream& out) {
  out << trust_of(plan) << "\n\n";
  for (const BodyPlan& body : plan.bodies) {
    explain_body(plan, body, out);
    out << '\n';
  }
  explain_remarks(plan.remarks, out);
}

} // namespace heddle
