#include "build_and_run.h"
#include "program/merge.h"

using namespace llvm;

namespace heddle::testing {
namespace {

TEST(Merge, KeepsOneWeakDefinitionAndHidesTheRest) {
  Workshop workshop;
  ProgramImage image =
      workshop.image({workshop.source("a.c", "int helper(void); int main(void) { return helper(); }"),
                      workshop.source("b.c", "__attribute__((weak)) int helper(void) { return 1; }"),
                      workshop.source("c.c", "int helper(void) { return 2; }")});
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = merge_modules(image, context);
  ASSERT_TRUE(bool(module)) << toString(module.takeError());
  EXPECT_FALSE((*module)->getFunction("main")->hasLocalLinkage());
  EXPECT_TRUE((*module)->getFunction("helper")->hasLocalLinkage());
}

TEST(Merge, KeepsWhatAssemblyAndSectionsName) {
  Workshop workshop;
  ProgramImage image = workshop.image(
      {workshop.source("a.c", "void in_asm(void) {} int plain; int kept __attribute__((section(\"hooks\")));"
                              "int main(void) { __asm__ volatile(\"call in_asm\"); return plain; }")});
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = merge_modules(image, context);
  ASSERT_TRUE(bool(module)) << toString(module.takeError());
  EXPECT_FALSE((*module)->getFunction("in_asm")->hasLocalLinkage());
  EXPECT_FALSE((*module)->getNamedGlobal("kept")->hasLocalLinkage());
  EXPECT_TRUE((*module)->getNamedGlobal("plain")->hasLocalLinkage());
}

TEST(Merge, RefusesTwoStrongDefinitions) {
  Workshop workshop;
  ProgramImage image = workshop.image({workshop.source("a.c", "int f(void) { return 1; }"),
                                       workshop.source("b.c", "int f(void) { return 2; }")});
  LLVMContext context;
  std::string why = toString(merge_modules(image, context).takeError());
  EXPECT_NE(why.find("cannot be merged"), std::string::npos) << why;
  EXPECT_NE(why.find("'f'"), std::string::npos) << why;
}

TEST(Merge, RefusesWhatIsNoBitcode) {
  ProgramImage image;
  image.modules = {"no bitcode"};
  LLVMContext context;
  EXPECT_TRUE(errorToBool(merge_modules(image, context).takeError()));
}

TEST(Merge, KeepsAllWhenANativeObjectCannotBeRead) {
  Workshop workshop;
  ProgramImage image = workshop.image(
      {workshop.source("a.c", "int helper(void) { return 1; } int main(void) { return helper(); }")});
  image.carried.push_back({"x.o", "not an object"});
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = merge_modules(image, context);
  ASSERT_TRUE(bool(module)) << toString(module.takeError());
  EXPECT_FALSE((*module)->getFunction("helper")->hasLocalLinkage());
}

} // namespace
} // namespace heddle::testing
