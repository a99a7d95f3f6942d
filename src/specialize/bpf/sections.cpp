#include "specialize/bpf/sections.h"

#include "specialize/bpf/load.h"

#include "llvm/Object/ELFObjectFile.h"

namespace heddle {

using llvm::Expected;
using llvm::StringRef;

namespace {

bool is_data(StringRef name) {
  auto is_kind = [&](StringRef kind) { return name == kind || name.starts_with((kind + ".").str()); };
  return (is_kind(".data") || is_kind(".rodata") || is_kind(".bss")) && name != constants_section &&
         name != guard_section;
}

} // namespace

Expected<DataSections> data_sections_of(StringRef object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "version"));
  if (!file) return file.takeError();
  DataSections sections;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    auto name = section.getName();
    if (!name) return name.takeError();
    if (!is_data(*name)) continue;
    DataSection& data = sections[name->str()];
    data.size = section.getSize();
    if (section.isBSS()) continue;
    auto bytes = section.getContents();
    if (!bytes) return bytes.takeError();
    data.bytes = bytes->str();
  }
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto type = symbol.getType();
    if (!type) return type.takeError();
    if (*type != llvm::object::SymbolRef::ST_Data) continue;
    auto section = symbol.getSection();
    if (!section) return section.takeError();
    auto name = symbol.getName();
    if (!name) return name.takeError();
    auto at = symbol.getValue();
    if (!at) return at.takeError();
    if (*section == (*file)->section_end()) continue;
    auto section_name = (*section)->getName();
    if (!section_name) return section_name.takeError();
    if (auto found = sections.find(section_name->str()); found != sections.end())
      found->second.variables[*name] = *at;
  }
  return sections;
}

} // namespace heddle
