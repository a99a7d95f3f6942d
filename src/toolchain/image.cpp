// Reading a program that `heddle cc` built.
//
// Problem: a linker concatenates the bitcode sections of all objects without marks between them, and pads
// between them with zeros when it wishes. LLVM's reader of bitcode files stops at the second file's magic
// word.
//
// Choice: walk the top level of the bit stream. A bitcode file is its magic word and then blocks that know
// their length, and the magic word can never begin a block (its low bits are not those of ENTER_SUBBLOCK), so
// the boundaries are found without decoding a single record: some milliseconds for a large program.
#include "toolchain/image.h"

#include "support/diagnostic.h"
#include "toolchain/bitcode_files.h"
#include "toolchain/link_record.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Error cut_off(StringRef path, const llvm::Twine& why) {
  return diagnose("the file is truncated or damaged: " + why, "link the program again", path);
}

Expected<std::unique_ptr<llvm::MemoryBuffer>> open_program(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code ec = llvm::sys::fs::status(path, status))
    return diagnose("cannot read: " + ec.message(), "give the path of the program that heddle cc linked",
                    path);
  if (llvm::sys::fs::is_directory(status))
    return diagnose("is a folder", "give the path of the program inside it", path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return diagnose("cannot read: " + buffer.getError().message(), "check the permissions of the file", path);
  return std::move(*buffer);
}

Error not_a_program(StringRef path, StringRef bytes) {
  switch (llvm::identify_magic(bytes)) {
  case llvm::file_magic::elf_relocatable:
    return diagnose("is an object file, not a linked program", "link it with heddle cc first", path);
  case llvm::file_magic::archive:
    return diagnose("is a static archive, not a linked program", "give the program that was linked with it",
                    path);
  default:
    break;
  }
  if (bytes.starts_with("#!"))
    return diagnose("is a script, not an ELF file",
                    "give the program itself (libtool keeps it as .libs/NAME beside its script)", path);
  return diagnose("not an ELF file", "give the path of the program that heddle cc linked", path);
}

struct Sections {
  std::vector<StringRef> bitcode; // under either name
  StringRef link;
};

Expected<Sections> find_sections(const llvm::object::ELFObjectFileBase& file, StringRef path) {
  Sections found;
  for (const llvm::object::SectionRef& section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name) return cut_off(path, llvm::toString(name.takeError()));
    if (!is_bitcode_section(*name) && *name != link_section) continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents) return cut_off(path, llvm::toString(contents.takeError()));
    if (*name == link_section)
      found.link = *contents;
    else if (!contents->empty())
      found.bitcode.push_back(*contents);
  }
  return found;
}

std::string digest(llvm::ArrayRef<StringRef> bitcode, const LinkRecord& record) {
  llvm::BLAKE3 hash;
  for (StringRef section : bitcode)
    hash.update(section);
  hash.update(recipe_as_json(record));
  for (const auto& [key, bytes] : record.carried)
    hash.update(bytes);
  auto result = hash.final<16>();
  return llvm::toHex(result, /*LowerCase=*/true);
}

} // namespace

Expected<ProgramImage> load_image(StringRef path) {
  auto buffer = open_program(path);
  if (!buffer) return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  llvm::file_magic magic = llvm::identify_magic(bytes);
  if (magic != llvm::file_magic::elf_executable && magic != llvm::file_magic::elf_shared_object)
    return not_a_program(path, bytes);
  auto object = llvm::object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!object) return cut_off(path, llvm::toString(object.takeError()));
  auto sections = find_sections(*llvm::cast<llvm::object::ELFObjectFileBase>(object->get()), path);
  if (!sections) return sections.takeError();
  if (sections->bitcode.empty())
    return diagnose("no bitcode inside: it was not built with heddle cc, or its sections were stripped away",
                    "build it with CC=heddle-cc CXX=heddle-c++", path);
  if (sections->link.empty())
    return diagnose("bitcode inside, but no record of the link (section .heddle.link)",
                    "link it with heddle cc / heddle c++ too, and do not remove the section", path);

  Expected<LinkRecord> record = decode_link_record(sections->link);
  if (!record) return cut_off(path, llvm::toString(record.takeError()));
  ProgramImage image;
  image.path = path.str();
  image.id = digest(sections->bitcode, *record);
  image.link = std::move(record->recipe);
  image.carried = std::move(record->carried);
  image.without_bitcode = std::move(record->without_bitcode);
  for (StringRef section : sections->bitcode) {
    auto modules = split_bitcode_files(section);
    if (!modules) return cut_off(path, llvm::toString(modules.takeError()));
    for (StringRef module : *modules)
      image.modules.push_back(module.str());
  }
  return image;
}

} // namespace heddle
