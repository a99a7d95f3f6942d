// Small shell scripts as the programs that are compared.
#pragma once

#include "support/file.h"
#include "verify/sandbox.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle::test {

class Scripts {
public:
  std::string file(llvm::StringRef name, llvm::StringRef text) {
    std::string path = folder_.file(name);
    llvm::cantFail(write_file(path, [&](llvm::raw_ostream& out) { out << text; }));
    return path;
  }
  Variant variant(llvm::StringRef name, llvm::StringRef body) {
    std::string path = folder_.file(name);
    llvm::cantFail(
        write_file(path, [&](llvm::raw_ostream& out) { out << "#!/bin/sh\n"
                                                           << body << '\n'; }, true));
    return {name.str(), path, {}};
  }
  const std::string& folder() const { return folder_.path(); }

private:
  TemporaryFolder folder_ = llvm::cantFail(TemporaryFolder::create("scripts"));
};

} // namespace heddle::test
