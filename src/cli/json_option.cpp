#include "cli/json_option.h"

#include "support/diagnostic.h"
#include "support/file.h"

namespace heddle {

std::vector<std::string> JsonOption::joined(llvm::ArrayRef<const char*> args) {
  std::vector<std::string> words;
  for (size_t i = 0; i != args.size(); ++i) {
    const llvm::StringRef word = args[i];
    words.push_back(word.str());
    if (word == "--") { // the rest is the program's
      words.insert(words.end(), args.begin() + i + 1, args.end());
      break;
    }
    if (word != "--json") continue;
    const llvm::StringRef next = i + 1 != args.size() ? args[i + 1] : "--";
    const bool is_file = next == "-" || !next.starts_with("-");
    words.back() += "=" + (is_file ? next.str() : "-");
    i += is_file;
  }
  return words;
}

void JsonOption::add_to(CLI::App& app) {
  const CLI::callback_t take = [this](const std::vector<std::string>& given) {
    wanted_ = true;
    file_ = given.empty() ? "" : given.front();
    return true;
  };
  app.add_option("--json", take,
                 "write the result as JSON: to a file, or to standard output in place of the text")
      ->option_text("[FILE]")
      ->expected(0, 1);
}

llvm::Error JsonOption::print(llvm::function_ref<void(llvm::raw_ostream&)> print) const {
  if (!wanted_) return llvm::Error::success();
  if (!takes_stdout()) return write_file(file_, print);
  print(llvm::outs());
  llvm::outs().flush();
  if (!llvm::outs().has_error()) return llvm::Error::success();
  const std::error_code ec = llvm::outs().error();
  llvm::outs().clear_error();
  return diagnose("cannot write: " + ec.message(), "give --json a file", "standard output");
}

llvm::Error JsonOption::write(llvm::function_ref<void(llvm::json::OStream&)> attributes) const {
  return print([&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out, 2);
    json.object([&] { attributes(json); });
    out << '\n';
  });
}

} // namespace heddle
