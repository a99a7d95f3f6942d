// Reading a compiler command line.
//
// Problem: to decide what to add to a compilation, and to record how a program was linked, Heddle must know
// which arguments are inputs, which are values of the option before them, and what reaches the linker.
//
// Alternatives: `clang -###` prints the jobs exactly, but costs a process per compilation and hides what the
// user wrote; clang's own option table is not part of Debian's packages that Heddle builds on. A linker
// wrapper (--ld-path) sees the linker's command line, but then temporary objects stand where sources were and
// the choice of linker changes.
//
// Choice: a table of the options that take a separate value, for the driver and for the linker. Every other
// argument that begins with '-' is complete in itself. This is sound because of how it is used: an
// argument that is not understood is passed on as it is; the real driver still sees the user's own words.
#include "toolchain/command.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

namespace heddle {

using llvm::StringRef;
using Kind = DriverItem::Kind;

namespace {

const llvm::StringSet<>& driver_options_with_value() {
  static const llvm::StringSet<> set = {"-o",
                                        "-x",
                                        "-I",
                                        "-L",
                                        "-l",
                                        "-D",
                                        "-U",
                                        "-B",
                                        "-F",
                                        "-T",
                                        "-u",
                                        "-e",
                                        "-z",
                                        "-A",
                                        "-G",
                                        "-V",
                                        "-b",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-MJ",
                                        "-include",
                                        "-imacros",
                                        "-include-pch",
                                        "-isystem",
                                        "-isystem-after",
                                        "-iquote",
                                        "-idirafter",
                                        "-iprefix",
                                        "-iwithprefix",
                                        "-iwithprefixbefore",
                                        "-iwithsysroot",
                                        "-isysroot",
                                        "-iframework",
                                        "-iframeworkwithsysroot",
                                        "-imultilib",
                                        "-ivfsoverlay",
                                        "-cxx-isystem",
                                        "-c-isystem",
                                        "-stdlib++-isystem",
                                        "-Xclang",
                                        "-Xlinker",
                                        "-Xassembler",
                                        "-Xpreprocessor",
                                        "-Xanalyzer",
                                        "-Xopenmp-target",
                                        "-Xcuda-ptxas",
                                        "-Xcuda-fatbinary",
                                        "-Xarch_host",
                                        "-Xarch_device",
                                        "-Xoffload-linker",
                                        "-Xthinlto",
                                        "-mllvm",
                                        "-mmlir",
                                        "-target",
                                        "-arch",
                                        "-aux-info",
                                        "-framework",
                                        "-rpath",
                                        "-serialize-diagnostics",
                                        "--serialize-diagnostics",
                                        "-dependency-file",
                                        "-dependency-dot",
                                        "-working-directory",
                                        "-gcc-toolchain",
                                        "-install_name",
                                        "-current_version",
                                        "-compatibility_version",
                                        "-dumpbase",
                                        "-dumpbase-ext",
                                        "-dumpdir",
                                        "-Tbss",
                                        "-Tdata",
                                        "-Ttext",
                                        "--param",
                                        "--sysroot",
                                        "--output",
                                        "--config",
                                        "--target-help-for",
                                        "--include",
                                        "--include-directory",
                                        "--include-directory-after",
                                        "--include-prefix",
                                        "--include-with-prefix",
                                        "--define-macro",
                                        "--undefine-macro",
                                        "--language",
                                        "--library-directory",
                                        "--prefix",
                                        "--for-linker",
                                        "--for-assembler",
                                        "--entry",
                                        "--imacros",
                                        "-fmodules-user-build-path",
                                        "-fnew-alignment",
                                        "-ccc-arch-name",
                                        "-ccc-install-dir",
                                        "--dyld-prefix",
                                        "--rtlib",
                                        "--std",
                                        "-print-file-name-of"};
  return set;
}

const llvm::StringSet<>& linker_options_with_value() {
  static const llvm::StringSet<> set = {"-o",
                                        "-e",
                                        "-entry",
                                        "-h",
                                        "-soname",
                                        "-rpath",
                                        "-rpath-link",
                                        "-T",
                                        "-script",
                                        "-z",
                                        "-u",
                                        "-undefined",
                                        "-m",
                                        "-Map",
                                        "-version-script",
                                        "-dynamic-linker",
                                        "-I",
                                        "-L",
                                        "-library-path",
                                        "-l",
                                        "-library",
                                        "-b",
                                        "-format",
                                        "-defsym",
                                        "-y",
                                        "-trace-symbol",
                                        "-wrap",
                                        "-init",
                                        "-fini",
                                        "-dynamic-list",
                                        "-F",
                                        "-filter",
                                        "-f",
                                        "-auxiliary",
                                        "-a",
                                        "-A",
                                        "-R",
                                        "-just-symbols",
                                        "-section-start",
                                        "-Ttext",
                                        "-Tdata",
                                        "-Tbss",
                                        "-Ttext-segment",
                                        "-image-base",
                                        "-exclude-libs",
                                        "-require-defined",
                                        "-retain-symbols-file",
                                        "-export-dynamic-symbol",
                                        "-export-dynamic-symbol-list",
                                        "-plugin",
                                        "-plugin-opt",
                                        "-symbol-ordering-file",
                                        "-dependency-file",
                                        "-sysroot",
                                        "-oformat",
                                        "-P",
                                        "-default-script",
                                        "-dT",
                                        "-G",
                                        "-Y",
                                        "-mllvm",
                                        "-call-graph-ordering-file"};
  return set;
}

// The linker takes long options with one dash or two.
std::string one_dash(StringRef option) {
  return option.starts_with("--") ? option.drop_front().str() : option.str();
}

bool is_query(StringRef a) {
  static const llvm::StringSet<> set = {
      "--version",  "-version",      "--help",        "-help",        "-###",
      "-cc1",       "-cc1as",        "-dumpmachine",  "-dumpversion", "-dumpfullversion",
      "-dumpspecs", "--help-hidden", "--target-help", "-verify-pch",  "-module-file-info"};
  return set.contains(a) || a.starts_with("-print-") || a.starts_with("--print-") || a.starts_with("--help=");
}

// What the phase options say; Link stands for "nothing said".
DriverPhase phase_of(StringRef a) {
  return llvm::StringSwitch<DriverPhase>(a)
      .Cases("-E", "--preprocess", "-M", "--dependencies", "-MM", "--user-dependencies",
             DriverPhase::Preprocess)
      .Cases("-fsyntax-only", "-S", "--assemble", "-emit-llvm", "-emit-ast", "--precompile", "--analyze",
             DriverPhase::NoObject)
      .Cases("-rewrite-objc", "-emit-interface-stubs", "-extract-api", "-fmodule-header",
             DriverPhase::NoObject)
      .Cases("-c", "--compile", DriverPhase::Object)
      .Default(DriverPhase::Link);
}

bool sets_debug_amount(StringRef a) {
  if (!a.starts_with("-g")) return false;
  StringRef rest = a.drop_front(2);
  return rest.empty() || rest == "0" || rest == "1" || rest == "2" || rest == "3" ||
         rest.starts_with("gdb") || rest.starts_with("lldb") || rest.starts_with("sce") ||
         rest.starts_with("dbx") || rest == "dwarf" ||
         (rest.starts_with("dwarf-") && !rest.ends_with("32") && !rest.ends_with("64") &&
          !rest.starts_with("dwarf-aranges")) ||
         rest == "line-tables-only" || rest == "line-directives-only" || rest == "mlt" || rest == "full" ||
         rest == "used";
}

Kind kind_by_language(StringRef language) {
  if (language.starts_with("assembler")) return Kind::Assembled;
  return Kind::Compiled;
}

Kind kind_by_name(StringRef path) {
  static const llvm::StringSet<> compiled = {".c",  ".i",  ".cc",  ".cp",   ".cxx", ".cpp",  ".CPP", ".c++",
                                             ".C",  ".CC", ".CXX", ".C++",  ".ii",  ".ixx",  ".mi",  ".m",
                                             ".mm", ".M",  ".mii", ".cppm", ".ccm", ".cxxm", ".ll",  ".bc"};
  if (path == "-") return Kind::Compiled;
  StringRef extension = llvm::sys::path::extension(path);
  if (compiled.contains(extension)) return Kind::Compiled;
  if (extension == ".s" || extension == ".S" || extension == ".sx" || extension == ".asm")
    return Kind::Assembled;
  return Kind::Linked;
}

bool is_header(StringRef path, StringRef language) {
  if (!language.empty()) return language.ends_with("-header");
  static const llvm::StringSet<> headers = {".h", ".H", ".hh", ".hp", ".hpp", ".HPP", ".hxx", ".h++", ".inl"};
  return headers.contains(llvm::sys::path::extension(path));
}

class Reader {
public:
  explicit Reader(DriverCommand& command) : command_(command) {}

  void read() {
    const std::vector<std::string>& args = command_.arguments;
    for (size_t i = 0; i < args.size(); ++i)
      i += argument(args[i], i + 1 < args.size() ? &args[i + 1] : nullptr);
    flush_linker();
    decide_phase();
  }

private:
  // Reads one argument; returns how many more it has consumed (0 or 1).
  size_t argument(StringRef a, const std::string* next) {
    if (only_inputs_) return input(a), 0;
    if (a == "--") return only_inputs_ = true, 0;
    if (a == "-" || !a.starts_with("-")) return input(a), 0;
    if (is_query(a)) query_ = true;
    if (DriverPhase p = phase_of(a); p != DriverPhase::Link) phase_ = std::min(phase_, p);
    if (sets_debug_amount(a)) command_.has_debug = true;
    if (a.starts_with("-Wl,")) {
      llvm::SmallVector<StringRef, 8> parts;
      a.drop_front(4).split(parts, ',');
      for (StringRef part : parts)
        linker_.push_back(part.str());
      return 0;
    }
    if ((a == "-Xlinker" || a == "--for-linker") && next) return linker_.push_back(*next), 1;
    if (a == "-shared" || a == "--shared") command_.shared = true;
    if (a == "-r") command_.partial = true;
    note_target(a, next);
    if (a == "-x" || a == "--language") return language_ = next ? *next : "", next ? 1 : 0;
    if (a.starts_with("-x") && a != "-x") return language_ = a.drop_front(2).str(), 0;
    if (driver_options_with_value().contains(a) && next) return option(a, *next, false), 1;
    for (StringRef prefix : {"-o", "-l", "-L", "-T", "-B", "-u", "-z"})
      if (a.starts_with(prefix) && !a.starts_with("-T=") && !is_word_after(prefix, a))
        return option(prefix, a.drop_front(prefix.size()), true), 0;
    add({Kind::Option, a.str(), "", false, false, ""});
    return 0;
  }

  // Options that merely begin like a short one with a joined value.
  static bool is_word_after(StringRef prefix, StringRef a) {
    return (prefix == "-T" &&
            (a.starts_with("-Tbss") || a.starts_with("-Tdata") || a.starts_with("-Ttext"))) ||
           (prefix == "-u" && a == "-undef") || (prefix == "-o" && a.starts_with("-object"));
  }

  void option(StringRef name, StringRef value, bool joined) {
    if (name == "-l")
      add({Kind::Library, value.str(), "", false, false, ""});
    else
      add({Kind::Option, name.str(), value.str(), true, joined, ""});
  }

  void input(StringRef path) {
    Kind kind = Kind::Linked;
    if (!language_.empty() && language_ != "none")
      kind = kind_by_language(language_);
    else
      kind = kind_by_name(path);
    if (is_header(path, language_ == "none" ? "" : language_)) {
      has_header_ = true;
      kind = Kind::Compiled;
    }
    has_input_ = true;
    add({kind, path.str(), "", false, false, language_ == "none" ? "" : language_});
  }

  void add(DriverItem item) {
    // Options that do not reach the linker may stand between the two halves of "-Wl,-rpath -Wl,DIR".
    bool reaches = item.kind == Kind::Linked || item.kind == Kind::Library || item.kind == Kind::Compiled ||
                   item.kind == Kind::Assembled;
    if (reaches) flush_linker();
    if (item.kind == Kind::Library) has_input_ = true;
    command_.items.push_back(std::move(item));
  }

  // The linker's own arguments gathered so far become items.
  void flush_linker() {
    for (size_t i = 0; i < linker_.size(); ++i) {
      StringRef a = linker_[i];
      has_input_ = true;
      std::string name = one_dash(a);
      if (a == "-r" || a == "--relocatable" || a == "-i" || a == "-Ur") command_.partial = true;
      if (name == "-shared" || name == "-Bshareable") command_.shared = true;
      if (!a.starts_with("-")) {
        command_.items.push_back({Kind::Linked, a.str(), "", false, false, ""});
      } else if (a.starts_with("-l") && a.size() > 2) {
        command_.items.push_back({Kind::Library, a.drop_front(2).str(), "", false, false, ""});
      } else if (linker_options_with_value().contains(name) && i + 1 < linker_.size()) {
        StringRef value = linker_[++i];
        if (name == "-l" || name == "-library")
          command_.items.push_back({Kind::Library, value.str(), "", false, false, ""});
        else
          command_.items.push_back({Kind::LinkOption, a.str(), value.str(), true, false, ""});
      } else if (size_t equal = a.find('='); equal != StringRef::npos && linker_options_with_value().contains(
                                                                             one_dash(a.take_front(equal)))) {
        command_.items.push_back(
            {Kind::LinkOption, a.take_front(equal).str(), a.drop_front(equal + 1).str(), true, true, ""});
      } else {
        command_.items.push_back({Kind::LinkOption, a.str(), "", false, false, ""});
      }
    }
    linker_.clear();
  }

  void note_target(StringRef a, const std::string* next) {
    StringRef triple;
    if (a == "-m32" || a == "-mx32" || a == "-m16") command_.foreign_target = true;
    if (a.starts_with("--target=")) triple = a.drop_front(9);
    if (a == "-target" && next) triple = *next;
    if (triple.empty()) return;
    command_.bpf_target = triple.starts_with("bpf");
#if defined(__x86_64__)
    command_.foreign_target |= !triple.starts_with("x86_64") && !triple.starts_with("amd64");
#elif defined(__aarch64__)
    command_.foreign_target |= !triple.starts_with("aarch64") && !triple.starts_with("arm64");
#endif
  }

  void decide_phase() {
    if (query_ || !has_input_) {
      command_.phase = DriverPhase::Query;
    } else {
      command_.phase = phase_;
      if (has_header_ && phase_ > DriverPhase::NoObject) command_.phase = DriverPhase::NoObject;
    }
  }

  DriverCommand& command_;
  std::vector<std::string> linker_;
  std::string language_;
  DriverPhase phase_ = DriverPhase::Link;
  bool query_ = false, has_input_ = false, has_header_ = false, only_inputs_ = false;
};

bool any_item(const DriverCommand& command, Kind kind) {
  return llvm::any_of(command.items, [&](const DriverItem& item) { return item.kind == kind; });
}

} // namespace

bool DriverCommand::compiles() const {
  return any_item(*this, Kind::Compiled);
}

bool DriverCommand::assembles() const {
  return any_item(*this, Kind::Assembled);
}

DriverCommand parse_driver_command(llvm::ArrayRef<const char*> arguments) {
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char*, 64> expanded(arguments.begin(), arguments.end());
  DriverCommand command;
  command.response_files = llvm::any_of(arguments, [](StringRef a) { return a.starts_with("@"); });
  if (command.response_files) {
    llvm::cl::ExpansionContext context(allocator, llvm::cl::TokenizeGNUCommandLine);
    // A response file that cannot be read stays on the line as "@file", for the driver to complain about.
    llvm::consumeError(context.expandResponseFiles(expanded));
  }
  for (const char* a : expanded)
    if (a) command.arguments.push_back(a);
  Reader(command).read();
  return command;
}

bool is_lto_option(StringRef a) {
  return a == "-flto" || a.starts_with("-flto=") || a.starts_with("-flto-jobs") || a == "-ffat-lto-objects" ||
         a == "-fwhole-program-vtables" || a == "-fsplit-lto-unit" || a == "-fvirtual-function-elimination" ||
         a == "-fembed-bitcode" || a.starts_with("-fembed-bitcode=") || a == "-fembed-bitcode-marker";
}

} // namespace heddle
