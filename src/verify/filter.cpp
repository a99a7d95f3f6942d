#include "verify/filter.h"

#include "support/diagnostic.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

namespace heddle {

namespace {

struct BuiltIn {
  llvm::StringLiteral name, pattern, replacement;
};

constexpr BuiltIn built_in[] = {
    {"times", "[0-9]{1,2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?", "TIME"},
    {"dates",
     "[0-9]{4}-[0-9]{2}-[0-9]{2}|(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +[A-Z0-9][a-z0-9]+ +[A-Z0-9][a-z0-9]+( "
     "+[0-9]{4})?",
     "DATE"},
    {"durations",
     "[0-9]+([.][0-9]+)? ?(ns|nsec|us|usec|ms|msec|milliseconds|sec|secs|seconds|s|min|minutes)([^A-Za-z]|$)",
     "DURATION\\3"},
    {"rates", "[0-9]+([.][0-9]+)? ?[KMGkmg]? ?(pps|p/s|packets/s|bps|bit/s|b/s|B/s|[KMG]B/s)(ec)?", "RATE"},
    {"pids", "(pid[ =:]+|\\[)[0-9]+", "\\1PID"},
    {"addresses", "0x[0-9a-f]{6,16}", "ADDRESS"},
};

std::string substitute(llvm::StringRef line, const Filter& filter, llvm::Regex& regex) {
  std::string result;
  llvm::SmallVector<llvm::StringRef, 8> groups;
  while (!line.empty() && regex.match(line, &groups) && !groups[0].empty()) {
    size_t at = size_t(groups[0].data() - line.data());
    result += line.take_front(at);
    for (size_t i = 0; i != filter.replacement.size(); ++i) {
      char c = filter.replacement[i];
      bool is_group = c == '\\' && i + 1 != filter.replacement.size() && isdigit(filter.replacement[i + 1]);
      if (!is_group) {
        result += c;
        continue;
      }
      size_t group = size_t(filter.replacement[++i] - '0');
      if (group < groups.size()) result += groups[group];
    }
    line = line.drop_front(at + groups[0].size());
  }
  return result + line.str();
}

llvm::Error malformed(llvm::StringRef text, const llvm::Twine& why) {
  return diagnose(
      "filter '" + text + "': " + why,
      "write CHANNEL:/PATTERN/REPLACEMENT/, or times, dates, durations, rates, pids or addresses");
}

} // namespace

llvm::Expected<Filter> parse_filter(llvm::StringRef text) {
  for (const BuiltIn& filter : built_in)
    if (filter.name == text) return Filter{"text", filter.pattern.str(), filter.replacement.str()};
  auto [channel, rest] = text.split(':');
  if (rest.empty()) return malformed(text, "no built-in filter of that name");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  rest.drop_front().split(parts, rest.front());
  if (channel.empty() || parts.size() != 3 || !parts[2].empty()) return malformed(text, "malformed");
  if (parts[0].empty()) return malformed(text, "the pattern is empty");
  std::string why;
  if (!llvm::Regex(parts[0]).isValid(why)) return malformed(text, why);
  return Filter{channel.str(), parts[0].str(), parts[1].str()};
}

bool applies_to(const Filter& filter, llvm::StringRef channel) {
  return filter.channel == channel ||
         (filter.channel == "text" && (channel == "stdout" || channel == "stderr"));
}

std::string apply_filters(llvm::StringRef text, llvm::StringRef channel, llvm::ArrayRef<Filter> filters) {
  std::string result = text.str();
  for (const Filter& filter : filters) {
    if (!applies_to(filter, channel)) continue;
    llvm::Regex regex(filter.pattern);
    std::string filtered;
    llvm::StringRef rest = result;
    while (!rest.empty()) {
      size_t end = rest.find('\n');
      filtered += substitute(rest.take_front(end), filter, regex);
      if (end == llvm::StringRef::npos) break;
      filtered += '\n';
      rest = rest.drop_front(end + 1);
    }
    result = std::move(filtered);
  }
  return result;
}

} // namespace heddle
