#include "support/diagnostic.h"

#include "llvm/ADT/Twine.h"

namespace heddle {

char Diagnostic::ID;

void Diagnostic::log(llvm::raw_ostream& out) const {
  out << "heddle: error: ";
  if (!where_.empty()) out << where_ << ": ";
  out << what_ << "\nheddle: hint: " << hint_;
}

llvm::Error diagnose(const llvm::Twine& what, const llvm::Twine& hint, const llvm::Twine& where) {
  return llvm::make_error<Diagnostic>(what.str(), hint.str(), where.str());
}

void report(llvm::Error error, llvm::raw_ostream& out) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const Diagnostic& d) {
        d.log(out);
        out << '\n';
      },
      [&](const llvm::ErrorInfoBase& e) { out << "heddle: error: " << e.message() << '\n'; });
}

} // namespace heddle
