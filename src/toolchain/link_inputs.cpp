// Recording a link so that it can be repeated from the executable alone.
//
// Problem: to put optimized code into a program, its link must be repeated with one new object in place of
// all that was compiled, on a machine where the build folder may be gone by then.
//
// Alternatives: keep the linker's own command line (lld --reproduce): exact, but of one linker, and it copies
// all inputs with their bitcode; keep only the path of the build folder: breaks with the first `make clean`,
// and with every temporary object that the driver made; link everything with `ld -r` at build time: loses
// --gc-sections and symbol visibility.
//
// Choice: what the *driver* was given, in order, each argument complete (absolute paths, response files
// expanded). Inputs are told apart by content, not by name:
//   object with bitcode                  its code is in the program's bitcode: left out when relinking;
//   object without                       copied whole;
//   archive outside the system's folders  its members without bitcode are copied, as an archive again, so
//   that
//                                         the linker still takes the ones it needs and --whole-archive holds;
//   file that an option names             (version scripts and the like) copied;
//   shared library, system archive        by path.
// Which archive members with bitcode took part need not be known: the bitcode of exactly those is in the
// linked file. A member without bitcode that was not needed then may be needed later only if optimized code
// refers to something new, so carrying all is right and costs only space.
#include "toolchain/link_inputs.h"

#include "support/diagnostic.h"
#include "support/file.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace heddle {

using llvm::StringRef;
using ItemKind = DriverItem::Kind;
using InputKind = LinkInput::Kind;

bool has_bitcode(StringRef object) {
  if (llvm::identify_magic(object) != llvm::file_magic::elf_relocatable) return false;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, ""));
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (name && is_bitcode_section(*name) && section.getSize() > 0) return true;
    if (!name) llvm::consumeError(name.takeError());
  }
  return false;
}

void rename_bitcode_section(StringRef path) {
  static_assert(StringRef(".heddle").size() == StringRef(".llvmbc").size());
  if (!llvm::sys::fs::is_regular_file(path)) return;
  auto buffer = llvm::WriteThroughMemoryBuffer::getFile(path);
  if (!buffer) return;
  const auto writable = (*buffer)->getBuffer();
  llvm::MemoryBufferRef bytes(StringRef(writable.data(), writable.size()), path);
  if (llvm::identify_magic(bytes.getBuffer()) != llvm::file_magic::elf_relocatable) return;
  auto file = llvm::object::ObjectFile::createObjectFile(bytes);
  if (!file) return llvm::consumeError(file.takeError());
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == clang_bitcode_section) // the name points into the file's table of section names
      std::memcpy(writable.data() + (name->data() - bytes.getBufferStart()), bitcode_section, name->size());
  }
}

llvm::Expected<std::string> native_members(StringRef path, StringRef bytes, std::vector<std::string>& names) {
  auto archive = llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, path));
  if (!archive) return archive.takeError();
  std::vector<llvm::NewArchiveMember> members;
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child& child : (*archive)->children(error)) {
    auto content = child.getMemoryBufferRef();
    if (!content) {
      llvm::consumeError(std::move(error));
      return content.takeError();
    }
    if (has_bitcode(content->getBuffer())) continue;
    auto name = child.getName();
    std::string label = name ? name->str() : "?";
    if (!name) llvm::consumeError(name.takeError());
    names.push_back(label);
    llvm::NewArchiveMember member;
    member.Buf = llvm::MemoryBuffer::getMemBufferCopy(content->getBuffer(), label);
    member.MemberName = member.Buf->getBufferIdentifier();
    members.push_back(std::move(member));
  }
  if (error) return std::move(error);
  if (members.empty()) return std::string();
  auto written =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!written) return written.takeError();
  return (*written)->getBuffer().str();
}

namespace {

// Folders whose files belong to the machine, not to the build.
bool in_system_folder(StringRef path) {
  for (StringRef folder : {"/usr/lib/", "/lib/", "/lib64/", "/usr/lib64/", "/usr/lib32/", "/usr/libx32/"})
    if (path.starts_with(folder)) return true;
  return false;
}

// Options of the linker that name a file it reads.
bool reads_file(StringRef option) {
  return llvm::StringSwitch<bool>(option)
      .Cases("-T", "--script", "-script", "--version-script", "-version-script", true)
      .Cases("--dynamic-list", "-dynamic-list", "--retain-symbols-file", "-retain-symbols-file", true)
      .Cases("--symbol-ordering-file", "--export-dynamic-symbol-list", "--default-script", "-dT", true)
      .Default(false);
}

// Options that write a file beside the output, or say how to report: not repeated.
bool is_side_output(StringRef option) {
  return llvm::StringSwitch<bool>(option)
      .Cases("-Map", "--Map", "-o", "--output", "--dependency-file", "--print-map", "-M", "-t", true)
      .Cases("--trace", "--verbose", "-v", "--cref", "--stats", "--time-trace", "--reproduce", true)
      .Default(false);
}

// Options of the driver that matter to compilation or to side outputs only.
bool is_compile_only(const DriverItem& item) {
  static const llvm::StringSet<> with_value = {"-o",
                                               "-MF",
                                               "-MT",
                                               "-MQ",
                                               "-MJ",
                                               "-I",
                                               "-D",
                                               "-U",
                                               "-include",
                                               "-imacros",
                                               "-include-pch",
                                               "-isystem",
                                               "-iquote",
                                               "-idirafter",
                                               "-iprefix",
                                               "-iwithprefix",
                                               "-iwithprefixbefore",
                                               "-Xclang",
                                               "-Xassembler",
                                               "-Xpreprocessor",
                                               "-dependency-file",
                                               "-serialize-diagnostics",
                                               "--serialize-diagnostics",
                                               "--output",
                                               "-working-directory"};
  if (item.has_value) return with_value.contains(item.text);
  StringRef a = item.text;
  for (StringRef prefix : {"-I", "-D", "-U", "-M", "-Wa,", "-Wp,", "-o", "-save-temps", "--save-temps",
                           "-ftime-report", "-ftime-trace", "-std=", "-fplugin", "-fpass-plugin"})
    if (a.starts_with(prefix) && !a.starts_with("-Ofast")) return true;
  if (a.starts_with("-W")) return true; // warnings: -Wl has been taken apart before
  return a == "-v" || a == "--verbose" || a == "-w" || a == "-pedantic" || a == "-pipe" || a == "-c" ||
         is_lto_option(a);
}

std::string absolute(StringRef path) {
  llvm::SmallString<256> full(path);
  (void)llvm::sys::fs::make_absolute(full); // fails only with the current folder, as the link will then
  llvm::sys::path::remove_dots(full, /*remove_dot_dot=*/false);
  return full.str().str();
}

class Recorder {
public:
  Recorder(const DriverCommand& command, Assembler assemble, LinkRecord& record)
      : command_(command), assemble_(assemble), record_(record) {
    for (const DriverItem& item : command.items)
      if (item.kind == ItemKind::Option && item.text == "-L")
        folders_.push_back(item.value);
      else if (item.kind == ItemKind::LinkOption && item.text.starts_with("-L"))
        folders_.push_back(item.has_value ? item.value : item.text.substr(2));
    if (const char* paths = std::getenv("LIBRARY_PATH")) {
      llvm::SmallVector<StringRef, 8> parts;
      StringRef(paths).split(parts, ':', -1, /*KeepEmpty=*/false);
      for (StringRef part : parts) {
        folders_.push_back(part.str());
        environment_folders_.push_back(part.str());
      }
    }
  }

  void run() {
    for (const DriverItem& item : command_.items)
      switch (item.kind) {
      case ItemKind::Option:
        driver_option(item);
        break;
      case ItemKind::LinkOption:
        link_option(item);
        break;
      case ItemKind::Library:
        library(item.text);
        break;
      case ItemKind::Compiled:
        add(InputKind::Bitcode, item.text == "-" ? "-" : absolute(item.text));
        break;
      case ItemKind::Assembled:
        assembled(item);
        break;
      case ItemKind::Linked:
        file(item.text);
        break;
      }
    for (const std::string& folder : environment_folders_)
      add(InputKind::Argument, "-L" + absolute(folder));
  }

private:
  void add(InputKind kind, std::string text, std::string content = "") {
    record_.recipe.inputs.push_back({kind, std::move(text), std::move(content)});
  }

  std::string carry(StringRef path, std::string bytes) {
    std::string key = path.str();
    for (const auto& [known, known_bytes] : record_.carried)
      if (known == key) return key;
    record_.carried.emplace_back(key, std::move(bytes));
    return key;
  }

  void driver_option(const DriverItem& item) {
    static_switch(item.text);
    if (is_compile_only(item)) return;
    if (!item.has_value) return add(InputKind::Argument, item.text);
    if (item.text == "-L") return add(InputKind::Argument, "-L" + absolute(item.value));
    if (item.text == "-T") return option_file("-T", item.value, /*joined=*/false, /*linker=*/false);
    if (item.text == "-B" && llvm::sys::fs::exists(item.value))
      return add(InputKind::Argument, "-B" + absolute(item.value));
    if (item.joined) return add(InputKind::Argument, item.text + item.value);
    add(InputKind::Argument, item.text);
    add(InputKind::Argument, item.value);
  }

  void link_option(const DriverItem& item) {
    static_switch(item.text);
    if (is_side_output(item.text)) return;
    StringRef value = item.value;
    if (item.has_value && reads_file(item.text) && llvm::sys::fs::is_regular_file(value))
      return option_file(item.text, value, item.joined, /*linker=*/true);
    if (item.text == "-L") return add(InputKind::Argument, "-L" + absolute(value));
    if (StringRef(item.text).starts_with("-L"))
      return add(InputKind::Argument, "-L" + absolute(StringRef(item.text).drop_front(2)));
    std::string shown = value.str();
    if (item.text.ends_with("rpath-link")) shown = absolute(value);
    to_linker(item.joined ? item.text + "=" + shown : item.text);
    if (item.has_value && !item.joined) to_linker(shown);
  }

  void to_linker(std::string argument) {
    add(InputKind::Argument, "-Xlinker");
    add(InputKind::Argument, std::move(argument));
  }

  // An option whose file is carried: the recipe holds the option, then the file as an input of its own kind.
  void option_file(StringRef option, StringRef path, bool joined, bool linker) {
    auto buffer = read_file(path);
    if (!buffer) return llvm::consumeError(buffer.takeError());
    std::string full = absolute(path), key = carry(full, (*buffer)->getBuffer().str());
    // "%" stands for the carried copy.
    std::string text = joined ? option.str() + "=%" : linker ? option.str() + " %" : option.str() + "%";
    if (linker) add(InputKind::Argument, "-Xlinker");
    if (linker && !joined) {
      add(InputKind::Argument, option.str());
      add(InputKind::Argument, "-Xlinker");
      text = "%";
    }
    add(InputKind::Argument, text, key);
  }

  void static_switch(StringRef a) {
    if (a == "-static" || a == "-Bstatic" || a == "-dn" || a == "-non_shared" || a == "--static" ||
        a == "-static-pie")
      static_ = true;
    if (a == "-Bdynamic" || a == "-dy" || a == "-call_shared") static_ = false;
  }

  // Finds -lNAME in the folders the user gave; the system's own are left to the linker.
  std::string find_library(StringRef name) {
    std::vector<std::string> candidates;
    if (name.starts_with(":"))
      candidates.push_back(name.drop_front().str());
    else {
      if (!static_) candidates.push_back(("lib" + name + ".so").str());
      candidates.push_back(("lib" + name + ".a").str());
    }
    for (const std::string& folder : folders_)
      for (const std::string& candidate : candidates)
        if (std::string path = (llvm::Twine(folder) + "/" + candidate).str();
            llvm::sys::fs::is_regular_file(path))
          return absolute(path);
    return "";
  }

  void library(StringRef name) {
    std::string path = find_library(name);
    if (!path.empty() && !in_system_folder(path) && StringRef(path).ends_with(".a")) return file(path);
    if (name.starts_with(":") ? name.ends_with(".a") : static_)
      record_.without_bitcode.push_back(name.starts_with(":") ? name.drop_front().str()
                                                              : ("lib" + name + ".a").str());
    add(InputKind::Argument, ("-l" + name).str());
  }

  void assembled(const DriverItem& item) {
    std::string path = absolute(item.text);
    record_.without_bitcode.push_back(path);
    add(InputKind::Native, path, carry(path, assemble_(item)));
  }

  void file(StringRef name) {
    std::string path = absolute(name);
    auto buffer = read_file(path);
    if (!buffer) {
      llvm::consumeError(buffer.takeError());
      return add(InputKind::Library, path);
    }
    StringRef bytes = (*buffer)->getBuffer();
    switch (llvm::identify_magic(bytes)) {
    case llvm::file_magic::elf_relocatable:
      return object(path, bytes);
    case llvm::file_magic::archive:
      return archive(path, bytes);
    case llvm::file_magic::elf_shared_object:
      return add(InputKind::Library, path);
    default:
      break;
    }
    // A linker script given as an input, or something only the linker understands.
    add(InputKind::Library, path, in_system_folder(path) ? "" : carry(path, bytes.str()));
  }

  void object(const std::string& path, StringRef bytes) {
    if (has_bitcode(bytes)) return add(InputKind::Bitcode, path);
    if (in_system_folder(path)) return add(InputKind::Library, path);
    record_.without_bitcode.push_back(path);
    add(InputKind::Native, path, carry(path, bytes.str()));
  }

  void archive(const std::string& path, StringRef bytes) {
    if (in_system_folder(path)) {
      record_.without_bitcode.push_back(path);
      return add(InputKind::Library, path);
    }
    std::vector<std::string> names;
    auto natives = native_members(path, bytes, names);
    if (!natives) {
      llvm::consumeError(natives.takeError());
      return add(InputKind::Library, path);
    }
    if (!named_.insert(path).second) names.clear(); // given twice: named once
    for (const std::string& name : names)
      record_.without_bitcode.push_back((llvm::Twine(path) + "(" + name + ")").str());
    add(InputKind::Archive, path, natives->empty() ? "" : carry(path, std::move(*natives)));
  }

  const DriverCommand& command_;
  Assembler assemble_;
  LinkRecord& record_;
  std::vector<std::string> folders_, environment_folders_;
  llvm::StringSet<> named_;
  bool static_ = false;
};

} // namespace

LinkRecord record_link(const DriverCommand& command, bool cxx, Assembler assemble) {
  LinkRecord record;
  record.recipe.compiler = cxx ? "clang++" : "clang";
  record.recipe.shared = command.shared;
  llvm::SmallString<256> directory;
  if (!llvm::sys::fs::current_path(directory)) record.recipe.directory = directory.str().str();
  Recorder(command, assemble, record).run();
  return record;
}

} // namespace heddle
