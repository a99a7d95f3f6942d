// The compiler wrapper.
//
// Problem: a build system must not notice that it does not call clang itself: same outputs, same messages,
// same exit status, same behaviour under signals, and configure checks run it hundreds of times.
//
// Choice: the wrapper reads the command line, decides what to add, and becomes clang (exec) wherever it can.
// Three things may be added:
//   -Xclang -fembed-bitcode=bitcode   when an object is made from C, C++ or IR: the unoptimised bitcode goes
//   into
//   a
//                                 section of its own, beside machine code that is what it would have been;
//   -g                            when the user gave no -g option, for file:line in explanations; debug
//                                 information does not change code, except for eBPF, where the loader hands
//                                 it to the kernel: there it is left out;
//   -Xlinker /proc/self/fd/N      when something is linked: an object with the section .heddle.link. It is an
//                                 unnamed file in memory that clang and the linker inherit, so nothing is
//                                 left behind whatever happens, and nobody has to wait in order to delete it.
// -flto and its kin are left out: with them there would be no machine code to link.
//
// A trap: ar, nm and ranlib load every plugin in /usr/lib/bfd-plugins, LLVM's gold plugin (LLVM 14 on Debian
// 12) takes any object with a section named .llvmbc for an LTO object, fails to read LLVM 19's bitcode, and
// ar then writes an archive without symbols. So objects that stay get the section's name changed to .heddle,
// seven bytes in place; for that, and only then, the wrapper waits for the compilation.
//
// Cost: 20 to 30 ms per command where LLVM is a shared library (loading it), 2 ms where it is linked in; at a
// link, reading the section headers of the inputs.
#include "toolchain/wrapper.h"

#include "support/diagnostic.h"
#include "support/file.h"
#include "support/process.h"
#include "toolchain/command.h"
#include "toolchain/link_inputs.h"
#include "toolchain/link_record.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {

using llvm::StringRef;

llvm::Expected<std::string> find_clang(bool cxx) {
  if (const char* path = std::getenv(cxx ? "HEDDLE_CLANGXX" : "HEDDLE_CLANG"); path && *path) return path;
  StringRef name = cxx ? "clang++-19" : "clang-19";
  if (auto path = llvm::sys::findProgramByName(name)) return *path;
  std::string fallback = std::string("/usr/lib/llvm-19/bin/") + (cxx ? "clang++" : "clang");
  if (llvm::sys::fs::can_execute(fallback)) return fallback;
  return diagnose("clang 19 is not installed",
                  llvm::Twine("install clang-19, or set ") + (cxx ? "HEDDLE_CLANGXX" : "HEDDLE_CLANG"), name);
}

namespace {

// An unnamed file with `bytes` that this process's children see under the path returned; empty if the system
// has none of it.
std::string inherited_file(const char* name, StringRef bytes) {
  int fd = memfd_create(name, 0);
  if (fd < 0) return "";
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    bytes = bytes.drop_front(n);
  }
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (bytes.empty() && access(path.c_str(), R_OK) == 0) return path;
  close(fd);
  return "";
}

// Replaces this process. Returns only if that fails.
int become(const std::string& clang, std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(clang.c_str())};
  for (std::string& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(clang.c_str(), argv.data());
  report(diagnose(llvm::Twine("cannot start: ") + strerror(errno),
                  "check HEDDLE_CLANG and HEDDLE_CLANGXX, or install clang-19", clang));
  return 127;
}

// Runs clang, waits, and ends as it ended. Dies with its parent, so that an interrupted build leaves no
// compilation behind.
int run_and_wait(const std::string& clang, std::vector<std::string>& arguments) {
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(become(clang, arguments));
  }
  if (child < 0) return become(clang, arguments);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

// The objects that a -c command makes of its C, C++ and IR inputs.
std::vector<std::string> made_objects(const DriverCommand& command) {
  std::vector<std::string> objects;
  for (const DriverItem& item : command.items) {
    StringRef text = item.text;
    if (item.kind == DriverItem::Kind::Option && (text == "-o" || text == "--output") && item.has_value)
      return {item.value};
    if (item.kind == DriverItem::Kind::Compiled)
      objects.push_back((llvm::sys::path::stem(text) + ".o").str());
  }
  return objects;
}

// Response files exist because of the limit on a command line's length: keep to it.
void shorten(std::vector<std::string>& arguments) {
  size_t size = 0;
  for (const std::string& argument : arguments)
    size += argument.size() + 1 + sizeof(char*);
  if (size < 100'000) return;
  std::string text;
  for (StringRef argument : arguments) {
    text += '"';
    for (char c : argument) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  if (std::string path = inherited_file("heddle-arguments", text); !path.empty()) arguments = {"@" + path};
}

// Assembles one input of a link command on its own, because the driver's temporary object will be gone.
std::string assemble(const std::string& clang, const DriverCommand& command, const DriverItem& input) {
  auto folder = TemporaryFolder::create("heddle-as");
  if (!folder) {
    llvm::consumeError(folder.takeError());
    return "";
  }
  std::vector<std::string> arguments{"-Qunused-arguments", "-w"};
  for (const DriverItem& item : command.items) {
    StringRef name = item.text;
    if (item.kind != DriverItem::Kind::Option || name == "-o" || name.starts_with("-M")) continue;
    arguments.push_back(item.joined ? item.text + item.value : item.text);
    if (item.has_value && !item.joined) arguments.push_back(item.value);
  }
  std::string object = folder->file("out.o");
  arguments.insert(arguments.end(), {"-c", "-o", object});
  if (!input.language.empty()) arguments.insert(arguments.end(), {"-x", input.language});
  arguments.push_back(input.text);
  ProcessOptions options;
  options.stderr_path = "/dev/null";
  auto result = run_process(clang, arguments, options);
  auto bytes = read_file(object);
  std::string content = bytes && result && result->ok() ? (*bytes)->getBuffer().str() : "";
  if (!bytes) llvm::consumeError(bytes.takeError());
  if (!result) llvm::consumeError(result.takeError());
  return content;
}

// With -g, clang's own assembler warns about the files that -save-temps makes it read: a message that a build
// without -g does not have.
bool saves_temporaries(const DriverCommand& command) {
  return llvm::any_of(command.arguments, [](StringRef a) {
    return a.starts_with("-save-temps") || a.starts_with("--save-temps");
  });
}

// A link that misses an input fails anyway, and should do so in clang's words alone.
bool misses_input(const DriverCommand& command) {
  using Kind = DriverItem::Kind;
  return llvm::any_of(command.items, [](const DriverItem& item) {
    bool file = item.kind == Kind::Compiled || item.kind == Kind::Assembled || item.kind == Kind::Linked;
    return file && item.text != "-" && !llvm::sys::fs::exists(item.text);
  });
}

// The extra linker input, or nothing where the link cannot carry one.
std::string link_object(const std::string& clang, const DriverCommand& command, bool cxx) {
  LinkRecord record =
      record_link(command, cxx, [&](const DriverItem& input) { return assemble(clang, command, input); });
  return inherited_file("heddle-link.o", make_section_object(link_section, encode_link_record(record)));
}

} // namespace

int run_compiler(bool cxx, llvm::ArrayRef<const char*> args) {
  auto clang = find_clang(cxx);
  if (!clang) {
    report(clang.takeError());
    return 127;
  }
  DriverCommand command = parse_driver_command(args);
  std::vector<std::string> arguments;
  if (command.phase != DriverPhase::Object && command.phase != DriverPhase::Link) {
    arguments.assign(args.begin(), args.end());
    return become(*clang, arguments);
  }
  if (command.compiles()) {
    arguments.insert(arguments.end(), {"-Xclang", "-fembed-bitcode=bitcode"});
    if (!command.has_debug && !command.bpf_target && !saves_temporaries(command)) arguments.push_back("-g");
  }
  // The extra object goes first, where no -x, --whole-archive or --format of the user's is in force yet.
  if (command.phase == DriverPhase::Link && !command.partial && !command.foreign_target &&
      !misses_input(command))
    if (std::string object = link_object(*clang, command, cxx); !object.empty())
      arguments.insert(arguments.end(), {"-Xlinker", object});
  bool lto = llvm::any_of(command.arguments, is_lto_option);
  if (command.response_files && !lto)
    arguments.insert(arguments.end(), args.begin(), args.end());
  else
    llvm::copy_if(command.arguments, std::back_inserter(arguments),
                  [](StringRef a) { return !is_lto_option(a); });
  shorten(arguments);
  if (command.phase == DriverPhase::Link || !command.compiles()) return become(*clang, arguments);
  int status = run_and_wait(*clang, arguments);
  if (status == 0)
    for (const std::string& object : made_objects(command))
      rename_bitcode_section(object);
  return status;
}

} // namespace heddle
