// Errors as values: what went wrong, where, and what to do next.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace heddle {

// One failure a user can act on. `where` is a file, file:line or empty; `hint` is never empty.
class Diagnostic : public llvm::ErrorInfo<Diagnostic> {
public:
  static char ID;

  Diagnostic(std::string what, std::string hint, std::string where)
      : what_(std::move(what)), hint_(std::move(hint)), where_(std::move(where)) {}

  const std::string& what() const { return what_; }
  const std::string& hint() const { return hint_; }
  const std::string& where() const { return where_; }

  void log(llvm::raw_ostream& out) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string what_, hint_, where_;
};

// An error that prints as "heddle: error: WHERE: WHAT" and, on a line of its own, "heddle: hint: HINT".
llvm::Error diagnose(const llvm::Twine& what, const llvm::Twine& hint, const llvm::Twine& where = "");

// Prints every diagnostic in `error` to `out` in the form above and consumes it.
void report(llvm::Error error, llvm::raw_ostream& out = llvm::errs());

// A remark: something Heddle decided not to do, or did with a reservation. `code` is stable
// (kebab-case), so that tests, plans and users can rely on it.
struct Remark {
  std::string code;  // e.g. "window-covers-body"
  std::string where; // file:line, or a function's name
  std::string what;
  std::string hint;
};

} // namespace heddle
