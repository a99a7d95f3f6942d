// The report as one HTML file, which needs nothing else.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace heddle {

// The page that the build bundled, with the document in it. Errors: the page was not built, or is not what the build makes.
llvm::Expected<std::string> report_page(const llvm::json::Object& document);

// The same, into the given page.
llvm::Expected<std::string> fill_page(llvm::StringRef page, const llvm::json::Object& document);

} // namespace heddle
