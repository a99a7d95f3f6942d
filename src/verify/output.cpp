#include "verify/output.h"

#include "support/diagnostic.h"
#include "support/progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace heddle {

using llvm::StringRef;

namespace {

constexpr uint64_t context_bytes = 48; // shown on each side of a difference

bool is_text(StringRef bytes) {
  return bytes.take_front(4096).find('\0') == StringRef::npos;
}

std::string excerpt(StringRef bytes, uint64_t offset) {
  uint64_t begin = offset > context_bytes ? offset - context_bytes : 0;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (begin) out << "...";
  llvm::printEscapedString(bytes.substr(begin, offset - begin + context_bytes), out);
  if (offset >= bytes.size())
    out << "<end>";
  else if (offset + context_bytes < bytes.size())
    out << "...";
  return text;
}

std::optional<Difference> compare_bytes(StringRef channel, StringRef expected, StringRef actual) {
  if (expected == actual) return std::nullopt;
  auto [a, b] = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
  Difference difference;
  difference.channel = channel.str();
  difference.offset = uint64_t(a - expected.begin());
  if (is_text(expected)) difference.line = 1 + expected.take_front(difference.offset).count('\n');
  difference.expected = excerpt(expected, difference.offset);
  difference.actual = excerpt(actual, difference.offset);
  return difference;
}

std::string replace_all(std::string text, StringRef from, StringRef to) {
  for (size_t at = 0; !from.empty() && (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

class Comparison {
public:
  Comparison(const VerifyOptions& options, const Variant& reference)
      : options_(options), reference_(reference) {}

  llvm::Expected<std::optional<Difference>> compare(const CapturedRun& expected, const CapturedRun& actual,
                                                    const Variant& variant) const {
    if (expected.process.exit_status != actual.process.exit_status ||
        expected.process.timed_out != actual.process.timed_out)
      return named(variant, {variant.name, "exit status", 0, 0, status(expected), status(actual)});
    for (const auto& [channel, a, b] : {std::tuple{"stdout", expected.stdout_path, actual.stdout_path},
                                        {"stderr", expected.stderr_path, actual.stderr_path}}) {
      auto difference = compare_files(channel, a, b, &variant);
      if (!difference || *difference) return named(variant, std::move(difference));
    }
    if (expected.files != actual.files)
      return named(variant,
                   {variant.name, "files", 0, 0, only_in(expected, actual), only_in(actual, expected)});
    for (const std::string& file : expected.files) {
      auto difference = compare_files(file, expected.file(file), actual.file(file), nullptr);
      if (!difference || *difference) return named(variant, std::move(difference));
    }
    return std::nullopt;
  }

private:
  using Found = llvm::Expected<std::optional<Difference>>;

  static Found named(const Variant& variant, Found found) {
    if (found && *found) (*found)->variant = variant.name;
    return found;
  }
  static Found named(const Variant&, Difference difference) {
    return std::optional<Difference>(std::move(difference));
  }

  static std::string status(const CapturedRun& run) {
    return run.process.timed_out ? "out of time" : std::to_string(run.process.exit_status);
  }

  static std::string only_in(const CapturedRun& a, const CapturedRun& b) {
    std::vector<std::string> names;
    std::set_difference(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
                        std::back_inserter(names));
    return names.empty() ? "nothing more" : llvm::join(names, ", ");
  }

  // `variant`: whose name may stand in the text; null for files.
  Found compare_files(StringRef channel, const std::string& expected, const std::string& actual,
                      const Variant* variant) const {
    auto a = read_file(expected);
    if (!a) return a.takeError();
    auto b = read_file(actual);
    if (!b) return b.takeError();
    if ((*a)->getBuffer() == (*b)->getBuffer()) return std::nullopt;
    bool filtered = llvm::any_of(options_.filters, [&](const Filter& f) { return applies_to(f, channel); });
    if (!filtered && !variant) return compare_bytes(channel, (*a)->getBuffer(), (*b)->getBuffer());
    std::string renamed = (*b)->getBuffer().str();
    if (variant) renamed = with_reference_name(std::move(renamed), *variant);
    return compare_bytes(channel, apply_filters((*a)->getBuffer(), channel, options_.filters),
                         apply_filters(renamed, channel, options_.filters));
  }

  // A program may print its own name: usage, error messages.
  std::string with_reference_name(std::string text, const Variant& variant) const {
    text = replace_all(std::move(text), variant.program, reference_.program);
    StringRef name = llvm::sys::path::filename(variant.program);
    StringRef reference = llvm::sys::path::filename(reference_.program);
    bool extended = name.size() > reference.size() && name.starts_with(reference);
    return extended ? replace_all(std::move(text), name, reference) : text;
  }

  const VerifyOptions& options_;
  const Variant& reference_;
};

// run_process() reports a signal as 128 + its number.
bool crashed(int exit_status) {
  return exit_status > 128 && exit_status <= 128 + 64;
}

VerifiedRun describe(const CapturedRun& run) {
  VerifiedRun described;
  described.name = run.name;
  described.exit_status = run.process.exit_status;
  described.timed_out = run.process.timed_out;
  described.seconds = run.process.wall_seconds;
  described.files = run.files.size();
  auto size = [](const std::string& path) {
    uint64_t bytes = 0;
    (void)llvm::sys::fs::file_size(path, bytes);
    return bytes;
  };
  described.stdout_bytes = size(run.stdout_path);
  described.stderr_bytes = size(run.stderr_path);
  for (const std::string& file : run.files)
    described.file_bytes += size(run.file(file));
  return described;
}

std::string escaped(const Difference& difference) {
  if (difference.channel == "exit status" || difference.channel == "files") return difference.channel;
  std::string place = llvm::formatv("{0}, byte {1}", difference.channel, difference.offset);
  return difference.line ? llvm::formatv("{0} (line {1})", place, difference.line).str() : place;
}

} // namespace

StringRef verdict_name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Identical:
    return "identical";
  case Verdict::Different:
    return "different";
  case Verdict::Unknown:
    return "unknown";
  }
  llvm_unreachable("all verdicts are named");
}

llvm::Expected<VerifyResult> verify_outputs(llvm::ArrayRef<Variant> variants, const VerifyOptions& options) {
  if (variants.size() < 2)
    return diagnose("nothing to compare with", "give the original and the optimized program");
  auto sandbox = Sandbox::create(options.command);
  if (!sandbox) return sandbox.takeError();
  Comparison comparison(options, variants.front());
  VerifyResult result;
  auto run_next = [&](const Variant& variant) {
    const size_t number = result.runs.size();
    progress_at({llvm::formatv("{0}, run {1} of {2}", variant.name, number + 1, variants.size()),
                 double(number), double(variants.size())});
    return sandbox->run(variant);
  };
  auto reference = run_next(variants.front());
  if (!reference) return reference.takeError();
  result.runs.push_back(describe(*reference));
  if (reference->process.timed_out || crashed(reference->process.exit_status)) {
    result.reason = llvm::formatv("{0} {1} by itself", variants.front().name,
                                  reference->process.timed_out ? "ran out of time" : "crashed");
    return result;
  }
  if (reference->process.exit_status != 0)
    result.reason = llvm::formatv("all variants exit with status {0}: check the arguments",
                                  reference->process.exit_status);
  for (const Variant& variant : variants.drop_front()) {
    auto run = run_next(variant);
    if (!run) return run.takeError();
    result.runs.push_back(describe(*run));
    auto difference = comparison.compare(*reference, *run, variant);
    if (!difference) return difference.takeError();
    sandbox->discard(*run);
    if (!*difference) continue;
    result.difference = std::move(*difference);
    progress_at("original once more");
    auto repeated = sandbox->run(variants.front());
    if (!repeated) return repeated.takeError();
    auto own = comparison.compare(*reference, *repeated, variants.front());
    if (!own) return own.takeError();
    result.verdict = *own ? Verdict::Unknown : Verdict::Different;
    result.reason.clear();
    if (*own)
      result.reason = llvm::formatv("{0} does not repeat itself: {1} differs between two runs of it",
                                    variants.front().name, escaped(**own));
    return result;
  }
  result.verdict = Verdict::Identical;
  return result;
}

void print_verify(const VerifyResult& result, llvm::raw_ostream& out) {
  for (const VerifiedRun& run : result.runs)
    out << llvm::formatv("{0,-20} status {1,-3} stdout {2} B, stderr {3} B, {4} files {5} B, {6:f2} s\n",
                         run.name, run.exit_status, run.stdout_bytes, run.stderr_bytes, run.files,
                         run.file_bytes, run.seconds);
  out << "outputs: " << verdict_name(result.verdict);
  if (!result.reason.empty()) out << " (" << result.reason << ')';
  out << '\n';
  if (const auto& difference = result.difference)
    out << "first difference of " << difference->variant << ": " << escaped(*difference)
        << "\n  expected: " << difference->expected << "\n  got:      " << difference->actual << '\n';
  if (result.verdict == Verdict::Unknown && result.difference)
    out << "hint: declare what may differ with --filter, or files with --output\n";
}

void write_verify(const VerifyResult& result, llvm::json::OStream& json) {
  json.attribute("verdict", verdict_name(result.verdict));
  json.attribute("identical", result.verdict == Verdict::Identical);
  json.attribute("reason", result.reason);
  json.attributeArray("runs", [&] {
    for (const VerifiedRun& run : result.runs)
      json.object([&] {
        json.attribute("name", run.name);
        json.attribute("exit_status", run.exit_status);
        json.attribute("timed_out", run.timed_out);
        json.attribute("seconds", run.seconds);
        json.attribute("stdout_bytes", int64_t(run.stdout_bytes));
        json.attribute("stderr_bytes", int64_t(run.stderr_bytes));
        json.attribute("files", int64_t(run.files));
        json.attribute("file_bytes", int64_t(run.file_bytes));
      });
  });
  if (const auto& difference = result.difference)
    json.attributeObject("difference", [&] {
      json.attribute("variant", difference->variant);
      json.attribute("channel", llvm::json::fixUTF8(difference->channel));
      json.attribute("offset", int64_t(difference->offset));
      json.attribute("line", int64_t(difference->line));
      json.attribute("expected", difference->expected);
      json.attribute("actual", difference->actual);
    });
}

} // namespace heddle
