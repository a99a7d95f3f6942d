#include "report/page.h"

#include "report/text.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "support/installed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

constexpr llvm::StringLiteral data_mark = "{\"heddle\":\"report\"}"; // stands where the document goes
constexpr llvm::StringLiteral text_mark =
    "{{heddle report --text}}"; // likewise its text, for browsers without scripts

// Names and source lines may hold anything, "</script>" and "<!--" too. Within JSON "<" stands in strings only, where it may be
// written as an escape.
std::string embedded(const llvm::json::Object& document) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::json::Value(llvm::json::Object(document));
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text)
    if (c == '<')
      escaped += "\\u003c";
    else
      escaped += c;
  return escaped;
}

std::string as_html(const llvm::json::Object& document) {
  std::string text, html;
  llvm::raw_string_ostream out(text);
  print_report(document, out);
  llvm::raw_string_ostream escaped(html);
  llvm::printHTMLEscaped(text, escaped);
  return html;
}

} // namespace

llvm::Expected<std::string> fill_page(llvm::StringRef page, const llvm::json::Object& document) {
  const size_t text_at = page.find(text_mark), data_at = page.find(data_mark);
  if (text_at == llvm::StringRef::npos || data_at == llvm::StringRef::npos || data_at < text_at)
    return diagnose("the page has no place for the report's data", "build Heddle again");
  return (page.take_front(text_at) + as_html(document) + page.slice(text_at + text_mark.size(), data_at) +
          embedded(document) + page.drop_front(data_at + data_mark.size()))
      .str();
}

llvm::Expected<std::string> report_page(const llvm::json::Object& document) {
  const std::string path = installed_file("heddle-report.html");
  if (!llvm::sys::fs::exists(path))
    return diagnose("the report's page was not built: there was no node or npm",
                    "run scripts/install-deps and build again; --text and --json work without it", path);
  auto page = read_file(path);
  if (!page) return page.takeError();
  return fill_page((*page)->getBuffer(), document);
}

} // namespace heddle
