// The programs that Heddle runs, and its own files.
#include "doctor/checks.h"
#include "doctor/try.h"
#include "support/installed.h"
#include "toolchain/wrapper.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace heddle {

namespace {

constexpr const char* hello = "#include <stdio.h>\nint main(void) { puts(\"works\"); return 0; }\n";

std::string install(const std::string& package) {
  return "apt install " + package;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Check by_version(const std::string& name, const std::string& program, const std::string& package) {
  const Tried tried = try_program(program, {"--version"});
  return {name, tried.ok, false, tried.ok ? first_line(tried.text) : program + ": " + tried.text,
          install(package)};
}

} // namespace

Check check_temporary_files() {
  auto folder = TemporaryFolder::create("heddle-doctor");
  if (!folder) {
    llvm::consumeError(folder.takeError());
    return {"temporary files", false, true, "no folder can be made for them",
            "set TMPDIR to a folder that can be written"};
  }
  return {"temporary files", true, true, llvm::sys::path::parent_path(folder->path()).str(), ""};
}

Check check_compiler() {
  const Tried tried = TriedProgram(hello, {}).run();
  Check check{"clang 19", tried.ok, true, tried.text,
              install("clang-19") + ", or set HEDDLE_CLANG and HEDDLE_CLANGXX"};
  if (!tried.ok) return check;
  auto clang = find_clang(/*cxx=*/false);
  check.what = llvm::cantFail(std::move(clang));
  if (Tried version = try_program(check.what, {"--version"}); version.ok)
    check.what += ": " + first_line(version.text);
  return check;
}

Check check_linker() {
  const Tried tried = TriedProgram(hello, {"-fuse-ld=lld"}).run();
  return {"lld 19", tried.ok, true, tried.ok ? "links programs that run" : tried.text, install("lld-19")};
}

Check check_own_files() {
  for (const char* name : {"libheddle_rt.a", "libheddle_profile_rt.a", "libheddle_dependencies_rt.a",
                           "libheddle_dependencies_staged_rt.a"})
    if (!llvm::sys::fs::exists(installed_file(name)))
      return {"Heddle's libraries", false, true, installed_file(name) + " is not there",
              "install Heddle again, or set HEDDLE_LIB to the folder that holds it"};
  const Tried tried = TriedProgram("void heddle_get_counters(void *);\nint main(void) { char counters[4096]; "
                                   "heddle_get_counters(counters); return 0; }\n",
                                   {installed_file("libheddle_rt.a"), "-pthread"})
                          .run();
  return {"Heddle's libraries", tried.ok, true, tried.ok ? installed_file("") : tried.text,
          "install Heddle again: they are of another version or system"};
}

Check check_llvm_tools() {
  return by_version("LLVM tools", "llvm-dis-19", "llvm-19, to read prepared.bc; no step needs it");
}

Check check_valgrind() {
  return by_version("valgrind", "valgrind", "valgrind, for Heddle's own tests; no step needs it");
}

Check check_perf() {
  return by_version("perf", "perf", "linux-perf; `heddle bench` counts with it");
}

} // namespace heddle
