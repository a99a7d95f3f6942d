#include "specialize/bpf/object_file.h"

#include "support/diagnostic.h"
#include "support/file.h"
#include "toolchain/bitcode_files.h"
#include "toolchain/link_record.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

using llvm::Expected;
using llvm::StringRef;

namespace {

// The modules in all bitcode sections of the file.
Expected<std::vector<StringRef>> bitcode_of(const llvm::object::ObjectFile& file) {
  std::vector<StringRef> modules;
  for (const llvm::object::SectionRef& section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name) return name.takeError();
    if (!is_bitcode_section(*name)) continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents) return contents.takeError();
    auto found = split_bitcode_files(*contents);
    if (!found) return found.takeError();
    modules.insert(modules.end(), found->begin(), found->end());
  }
  return modules;
}

} // namespace

Expected<BpfObjectFile> read_bpf_object(StringRef path) {
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  auto file = llvm::object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!file || llvm::cast<llvm::object::ELFObjectFileBase>(file->get())->getEMachine() != llvm::ELF::EM_BPF) {
    if (!file) llvm::consumeError(file.takeError());
    return diagnose("is not an eBPF object", "give the .o file that the running program was loaded from",
                    path);
  }
  auto modules = bitcode_of(**file);
  if (!modules)
    return diagnose("the object is damaged: " + llvm::toString(modules.takeError()), "compile it again",
                    path);
  if (modules->empty())
    return diagnose(
        "no bitcode inside: it was not compiled with heddle cc, or its sections were stripped away",
        "compile it with `heddle cc -target bpf ...`, and load that object", path);
  if (modules->size() > 1)
    return diagnose("was linked from several files, which Heddle does not specialize",
                    "put the program into one translation unit", path);
  return BpfObjectFile{path.str(), (*buffer)->getBuffer().str(), modules->front().str()};
}

} // namespace heddle
