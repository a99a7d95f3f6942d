// A program taken apart and put together again behaves the same, with the build folder gone.
#include "build_helper.h"
#include "toolchain/codegen.h"
#include "toolchain/image.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"

using namespace heddle;
using namespace heddle::test;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class Relink : public Build {
protected:
  // Merges the modules of `program`, generates code, links `program`.again. All inputs are deleted before.
  llvm::Error again(const std::string& program) {
    auto image = load_image(path(program));
    if (!image) return image.takeError();
    without_ = image->without_bitcode;
    llvm::LLVMContext context;
    auto whole = std::make_unique<llvm::Module>("whole", context);
    llvm::Linker linker(*whole);
    for (const std::string& bytes : image->modules) {
      auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "module"), context);
      if (!module) return module.takeError();
      whole->setTargetTriple((*module)->getTargetTriple());
      whole->setDataLayout((*module)->getDataLayout());
      EXPECT_FALSE(linker.linkInModule(std::move(*module)));
    }
    forget_inputs(program);
    std::string object = path("whole-program.o");
    if (auto error = emit_object(*whole, object)) return error;
    return relink(*image, {object}, {}, path(program + ".again"));
  }

  void expect_same(const std::string& program) {
    std::string before = output_of(program);
    auto error = again(program);
    ASSERT_FALSE(bool(error)) << shown(std::move(error));
    EXPECT_EQ(output_of(program + ".again"), before);
  }

  void forget_inputs(const std::string& program) const {
    std::error_code ec;
    std::vector<std::string> doomed;
    for (llvm::sys::fs::directory_iterator it(folder_->path(), ec), end; it != end && !ec; it.increment(ec))
      if (!llvm::StringRef(it->path()).ends_with("/" + program) &&
          !llvm::StringRef(it->path()).contains(".so"))
        doomed.push_back(it->path());
    for (const std::string& file : doomed)
      (void)llvm::sys::fs::remove(file);
  }

  void cxx_program() const {
    source("e.cpp", R"(
      #include <iostream>
      #include <stdexcept>
      #include <vector>
      struct S { int v; S(int x) : v(x) { std::cout << "ctor " << x << "\n"; } ~S() { std::cout << "dtor " << v << "\n"; } };
      S first(1), second(2);
      thread_local std::vector<int> local{1, 2, 3};
      int f(int x) { S s(x); if (x > 2) throw std::runtime_error("big"); return x; }
      int main() {
        try { f(1); f(3); } catch (std::exception& e) { std::cout << e.what() << local.size() << "\n"; }
        return 3;
      })");
  }

  std::vector<std::string> without_;
};

TEST_F(Relink, ExceptionsAndStaticConstructors) {
  cxx_program();
  ASSERT_EQ(cxx({"-O2", "e.cpp", "-o", "prog"}), 0);
  expect_same("prog");
}

TEST_F(Relink, StaticPositionDependentAndStaticPie) {
  for (const char* how : {"-static", "-no-pie", "-static-pie"}) {
    SCOPED_TRACE(how);
    cxx_program();
    ASSERT_EQ(cxx({how, "-O1", "e.cpp", "-o", "prog"}), 0);
    expect_same("prog");
  }
}

TEST_F(Relink, BothLinkers) {
  for (const char* linker : {"-fuse-ld=lld", "-fuse-ld=bfd"}) {
    SCOPED_TRACE(linker);
    cxx_program();
    ASSERT_EQ(cxx({linker, "-ffunction-sections", "-Wl,--gc-sections", "e.cpp", "-o", "prog"}), 0);
    expect_same("prog");
  }
}

TEST_F(Relink, AssemblyAndMixedArchive) {
  source("main.c", R"(
    #include <stdio.h>
    int lib(int); int from_assembly(void); int native(void); extern __thread int shared_local;
    static __thread int own_local = 5;
    int main(int argc, char** argv) {
      shared_local += argc; own_local += shared_local;
      printf("%d %d %d %d\n", lib(2), from_assembly(), native(), own_local);
      return 7;
    })");
  source("lib.c", "int lib(int x) { return x * 21; }\n");
  source("native.c", "int native(void) { return 99; } __thread int shared_local = 40;\n");
  source("unused.c", "int missing(void); int unused(void) { return missing(); }\n");
  source("f.S", "#define V 17\n.globl from_assembly\nfrom_assembly: mov $V, %eax\nret\n"
                ".section .note.GNU-stack,\"\",@progbits\n");
  ASSERT_EQ(cc({"-c", "lib.c"}), 0);
  ASSERT_EQ(run("clang-19", {"-c", "native.c", "unused.c"}), 0);
  ASSERT_EQ(run("ar", {"rcs", "libx.a", "lib.o", "native.o", "unused.o"}), 0);
  ASSERT_EQ(cc({"-O2", "main.c", "f.S", "-L.", "-lx", "-o", "prog"}), 0);
  expect_same("prog");
  EXPECT_THAT(without_,
              ElementsAre(EndsWith("f.S"), EndsWith("libx.a(native.o)"), EndsWith("libx.a(unused.o)")));
}

TEST_F(Relink, WholeArchiveOfNativeMembers) {
  source("main.c", "#include <stdio.h>\nint main(void) { puts(\"main\"); return 0; }\n");
  source("n.c",
         "#include <stdio.h>\n__attribute__((constructor)) static void c(void) { puts(\"native\"); }\n");
  ASSERT_EQ(run("clang-19", {"-c", "n.c"}), 0);
  ASSERT_EQ(run("ar", {"rcsT", "libn.a", "n.o"}), 0); // a thin archive: its member lies beside it
  ASSERT_EQ(cc({"main.c", "-Wl,--whole-archive", "libn.a", "-Wl,--no-whole-archive", "-o", "prog"}), 0);
  EXPECT_EQ(output_of("prog"), "native\nmain\nstatus 0");
  expect_same("prog");
}

TEST_F(Relink, LinkerScriptsAreCarried) {
  source("main.c",
         "int visible(void) { return 3; } int hidden(void) { return 4; } int main(void) { return 0; }\n");
  source("v.map", "{ global: visible; local: *; };\n");
  source("d.list", "{ visible; };\n");
  ASSERT_EQ(cc({"main.c", "-Wl,--version-script=v.map", "-Wl,--dynamic-list", "-Wl,d.list", "-Wl,-Map=map",
                "-o", "prog"}),
            0);
  expect_same("prog");
  EXPECT_FALSE(llvm::sys::fs::exists(path("map"))) << "side outputs are not repeated";
}

TEST_F(Relink, SharedLibrary) {
  source("s.c", "static int calls; int twice(int x) { ++calls; return 2 * x; }\n");
  source("main.c", "int twice(int); int main(void) { return twice(21); }\n");
  ASSERT_EQ(cc({"-shared", "-fPIC", "s.c", "-Wl,-soname,libs.so.again", "-o", "libs.so"}), 0);
  EXPECT_TRUE(llvm::cantFail(load_image(path("libs.so"))).link.shared);
  auto error = again("libs.so");
  ASSERT_FALSE(bool(error)) << shown(std::move(error));
  source("main.c", "int twice(int); int main(void) { return twice(21); }\n");
  ASSERT_EQ(cc({"main.c", "libs.so.again", "-Wl,-rpath," + folder_->path(), "-o", "prog"}), 0);
  EXPECT_EQ(output_of("prog"), "status 42");
  expect_same("prog");
}

TEST_F(Relink, SanitizersComeAlong) {
  source("bad.c", "#include <stdlib.h>\nint main(int argc, char** argv) {\n"
                  "  char* p = malloc(10); int x = p[argc * 10]; free(p); return x & 0; }\n");
  ASSERT_EQ(cc({"-O1", "-fsanitize=address", "bad.c", "-o", "prog"}), 0);
  auto error = again("prog");
  ASSERT_FALSE(bool(error)) << shown(std::move(error));
  ProcessOptions options;
  options.stderr_path = path("report");
  auto result = llvm::cantFail(run_process(path("prog.again"), {}, options));
  EXPECT_NE(result.exit_status, 0);
  std::ifstream in(path("report"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("heap-buffer-overflow"));
}

TEST_F(Relink, LinkerErrorsAreShown) {
  source("main.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(cc({"main.c", "-o", "prog"}), 0);
  auto image = llvm::cantFail(load_image(path("prog")));
  source("other.c", "int nothing_here(void); int main(void) { return nothing_here(); }\n");
  ASSERT_EQ(cc({"-c", "other.c"}), 0);
  auto error = relink(image, {path("other.o")}, {}, path("prog2"));
  ASSERT_TRUE(bool(error));
  EXPECT_THAT(shown(std::move(error)), testing::AllOf(HasSubstr("nothing_here"), HasSubstr("hint:")));
  EXPECT_FALSE(llvm::sys::fs::exists(path("prog2")));
}
