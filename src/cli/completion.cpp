// Subcommands, their options, and the values of options that name them all. Everything else is a file, which the shells complete by
// themselves: so does what follows `cc`, `c++` and `--`.
#include "cli/completion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

using llvm::raw_ostream;
using llvm::StringRef;

namespace {

std::string all_names(llvm::ArrayRef<DescribedOption> options) {
  std::vector<std::string> names;
  for (const DescribedOption& option : options)
    llvm::append_range(names, option.names);
  return llvm::join(names, " ");
}

std::string subcommand_names(llvm::ArrayRef<DescribedCommand> commands) {
  std::vector<std::string> names;
  for (const DescribedCommand& command : commands.drop_front())
    names.push_back(command.name);
  return llvm::join(names, " ");
}

// What may follow: of an option with choices, these; of one with another value, a file.
void bash_values(const DescribedCommand& command, raw_ostream& out) {
  for (const DescribedOption& option : command.options) {
    if (option.value.empty() || StringRef(option.value).starts_with("[")) continue;
    out << "        " << llvm::join(option.names, "|") << ')';
    if (option.choices.empty())
      out << " return ;;\n";
    else
      out << " words='" << llvm::join(option.choices, " ") << "' ;;\n";
  }
}

// Within '...' of an argument of zsh's _arguments or _describe.
std::string zsh_escaped(StringRef text) {
  std::string escaped;
  for (char c : text)
    if (c == '\'')
      escaped += "'\\''";
    else
      escaped += StringRef("\\:[]").contains(c) ? std::string{'\\', c} : std::string{c};
  return escaped;
}

void zsh_options(const DescribedCommand& command, raw_ostream& out) {
  for (const DescribedOption& option : command.options)
    for (const std::string& name : option.names) {
      out << " \\\n      '" << (option.repeated ? "*" : "") << name << '[' << zsh_escaped(option.text) << ']';
      if (StringRef(option.value).starts_with("["))
        out << "::file:_files";
      else if (!option.choices.empty())
        out << ":value:(" << llvm::join(option.choices, " ") << ')';
      else if (!option.value.empty())
        out << ":value:_files";
      out << '\'';
    }
  out << " \\\n      '*:file:_files'";
}

// Within '...' of fish.
std::string fish_quoted(StringRef text) {
  std::string quoted;
  for (char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return "'" + quoted + "'";
}

} // namespace

void write_bash_completion(llvm::ArrayRef<DescribedCommand> commands, raw_ostream& out) {
  out << R"(# Completion of heddle(1) in bash. Made by `heddle generate`.
_heddle() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} step= words= i
  COMPREPLY=()
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) return ;;
      -*) ;;
      *) step=${step:-${COMP_WORDS[i]}} ;;
    esac
  done
  case $step in
)";
  out << "    '') words='" << subcommand_names(commands) << ' ' << all_names(commands.front().options)
      << "' ;;\n";
  for (const DescribedCommand& command : commands.drop_front()) {
    if (command.options.empty()) continue;
    out << "    " << command.name << ")\n      case $before in\n";
    bash_values(command, out);
    out << "        *) [[ $word == -* ]] && words='" << all_names(command.options) << "' ;;\n      esac ;;\n";
  }
  out << R"(  esac
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _heddle heddle
)";
}

void write_zsh_completion(llvm::ArrayRef<DescribedCommand> commands, raw_ostream& out) {
  out << R"(#compdef heddle
# Completion of heddle(1) in zsh. Made by `heddle generate`.
_heddle() {
  local -a steps
  steps=(
)";
  for (const DescribedCommand& command : commands.drop_front())
    out << "    '" << command.name << ':' << zsh_escaped(command.text) << "'\n";
  out << R"(  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe -t steps step steps
    return
  fi
  # Behind -- are the program's own arguments.
  if (( ${words[(i)--]} < CURRENT )); then
    _files
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
)";
  for (const DescribedCommand& command : commands.drop_front()) {
    if (command.options.empty()) continue;
    out << "    " << command.name << ") _arguments";
    zsh_options(command, out);
    out << " ;;\n";
  }
  out << R"(    *) _files ;;
  esac
}
_heddle "$@"
)";
}

void write_fish_completion(llvm::ArrayRef<DescribedCommand> commands, raw_ostream& out) {
  out << "# Completion of heddle(1) in fish. Made by `heddle generate`.\n";
  for (const DescribedCommand& command : commands) {
    const bool whole = &command == &commands.front();
    const std::string when =
        whole ? " -n __fish_use_subcommand" : " -n '__fish_seen_subcommand_from " + command.name + "'";
    if (!whole)
      out << "complete -c heddle -f -n __fish_use_subcommand -a " << command.name << " -d "
          << fish_quoted(command.text) << '\n';
    for (const DescribedOption& option : command.options) {
      out << "complete -c heddle" << when;
      for (StringRef name : option.names)
        out << (name.consume_front("--") ? " -l " + name.str() : " -s " + name.drop_front().str());
      if (!option.value.empty() && !StringRef(option.value).starts_with("[")) out << " -r";
      if (!option.choices.empty()) out << " -f -a '" << llvm::join(option.choices, " ") << "'";
      out << " -d " << fish_quoted(option.text) << '\n';
    }
  }
}

} // namespace heddle
