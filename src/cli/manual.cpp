// Pages in the man macros, which groff and mandoc both know. Every text comes from the command line's own declarations, so a page
// cannot say anything else than --help.
#include "cli/manual.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

using llvm::raw_ostream;
using llvm::StringRef;

namespace {

// Text that stands for itself: no macro, no escape; `-` as it is typed, and words between backquotes in bold.
std::string plain(StringRef text) {
  std::string roff;
  bool bold = false;
  for (char c : text) {
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else if (c == '`')
      roff += (bold = !bold) ? "\\fB" : "\\fR";
    else
      roff += c;
  }
  if (roff.starts_with('.') || roff.starts_with('\'')) roff.insert(0, "\\&");
  return roff;
}

// As a sentence of its own.
std::string sentence(StringRef text) {
  std::string roff = plain(text);
  if (!roff.empty()) roff[0] = llvm::toUpper(roff[0]);
  return roff + (text.ends_with(".") ? "\n" : ".\n");
}

void heading(StringRef name, const std::string& date, raw_ostream& out) {
  out << ".TH " << plain(name.upper()) << " 1 " << date
      << " \"Heddle " HEDDLE_VERSION "\"\n.nh\n.ad l\n.SH NAME\n";
}

void option_list(StringRef title, llvm::ArrayRef<DescribedOption> options, raw_ostream& out) {
  if (options.empty()) return;
  out << ".SH " << title << '\n';
  for (const DescribedOption& option : options) {
    out << ".TP\n";
    for (size_t i = 0; i != option.names.size(); ++i)
      out << (i ? ", " : "") << "\\fB" << plain(option.names[i]) << "\\fR";
    const bool positional = title != "OPTIONS";
    if (!option.value.empty() && !positional) out << " \\fI" << plain(option.value) << "\\fR";
    if (option.repeated && !positional) out << " (may be repeated)";
    out << '\n' << sentence(option.text);
    if (!option.choices.empty()) out << "One of: " << plain(llvm::join(option.choices, ", ")) << ".\n";
    if (!option.range.empty()) out << "Range: " << plain(option.range) << ".\n";
    if (!option.preset.empty()) out << "Default: " << plain(option.preset) << ".\n";
    if (!option.needs.empty()) out << "Only with " << plain(option.needs) << ".\n";
  }
}

// Beside the options' pages: what is the same for all.
void exit_status(raw_ostream& out) {
  out << ".SH EXIT STATUS\n0; 1 where the step fails, with an error and a hint on standard error; 2 where "
         "the "
         "command line is wrong.\n";
}

} // namespace

void write_manual(llvm::ArrayRef<DescribedCommand> commands, const std::string& date, raw_ostream& out) {
  const DescribedCommand& whole = commands.front();
  heading(whole.name, date, out);
  auto [what, how] = StringRef(whole.text).split('\n');
  out << plain(whole.name) << " \\- " << plain(what.rtrim('.')) << "\n.SH SYNOPSIS\n\\fB" << plain(whole.name)
      << "\\fR [\\fIOPTIONS\\fR] \\fISUBCOMMAND\\fR ...\n.SH DESCRIPTION\n"
      << plain(how) << "\n.SH SUBCOMMANDS\n";
  for (const DescribedCommand& command : commands.drop_front())
    out << ".TP\n\\fB" << plain(whole.name + "-" + command.name) << "\\fR(1)\n" << sentence(command.text);
  option_list("OPTIONS", whole.options, out);
  exit_status(out);
}

void write_manual(const DescribedCommand& command, const std::string& date, raw_ostream& out) {
  const std::string name = "heddle-" + command.name;
  heading(name, date, out);
  out << plain(name) << " \\- " << plain(command.text) << "\n.SH SYNOPSIS\n\\fBheddle " << plain(command.name)
      << "\\fR";
  if (!command.options.empty()) out << " [\\fIOPTIONS\\fR]";
  for (const DescribedOption& positional : command.positionals) {
    const std::string one = "\\fI" + plain(positional.names.front()) + "\\fR";
    const std::string shown = positional.repeated ? "\\-\\- " + one + " ..." : one;
    out << ' ' << (positional.required ? shown : "[" + shown + "]");
  }
  out << '\n';
  option_list("ARGUMENTS", command.positionals, out);
  option_list("OPTIONS", command.options, out);
  exit_status(out);
  out << ".SH SEE ALSO\n\\fBheddle\\fR(1)\n";
}

} // namespace heddle
