// heddle.toml: what it may hold, and what is said of what it may not.
#include "program/declarations.h"

#include "build_and_run.h"
#include "program/modelled.h"

#include <gmock/gmock.h>

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

llvm::Expected<Declarations> read(const std::string& text) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-test"));
  llvm::cantFail(write_file(folder.file("heddle.toml"), [&](llvm::raw_ostream& out) { out << text; }));
  return read_declarations(folder.file("heddle.toml"));
}

std::string error_in(const std::string& text) {
  auto declarations = read(text);
  return declarations ? "no error" : llvm::toString(declarations.takeError());
}

TEST(DeclarationFile, ListsWhatIsDeclared) {
  Declarations declarations = llvm::cantFail(read(R"(
[[commute]]
functions = ["add_timer", "del_timer"]
differs = "iteration order"
why = "timers of one millisecond"
[[declared]]
location = "session_t.last"
why = "unread"
[allocators]
functions = ["pool_get", "add_timer"]
)"));
  ASSERT_EQ(declarations.all.size(), 3u);
  EXPECT_EQ(declarations.all[0].differs, "iteration order");
  EXPECT_THAT(declarations.place(declarations.all[1]), HasSubstr("heddle.toml:7"));
  EXPECT_THAT(declarations.functions(), ElementsAre("add_timer", "del_timer", "pool_get"));
  Declarations proven = declarations.trusted("proven");
  ASSERT_EQ(proven.all.size(), 1u);
  EXPECT_EQ(proven.all[0].kind, "allocators");
}

TEST(DeclarationFile, MayBeEmpty) {
  EXPECT_TRUE(llvm::cantFail(read("# nothing yet\n")).all.empty());
}

TEST(DeclarationFile, ErrorsNameTheLine) {
  const std::string commute = "[[commute]]\nfunctions = [\"f\"]\n";
  EXPECT_THAT(error_in("x = [1,"), HasSubstr("heddle.toml:1: no TOML: "));
  EXPECT_THAT(error_in("\nlimits = 3\n"), HasSubstr("heddle.toml:2: unknown key 'limits' in the file"));
  EXPECT_THAT(error_in(commute + "because = \"x\"\n"), HasSubstr("heddle.toml:3: unknown key 'because'"));
  EXPECT_THAT(error_in("[commute]\nfunctions = [\"f\"]\n"), HasSubstr("heddle.toml:1: 'commute' is a table"));
  EXPECT_THAT(error_in(commute + "why = \"x\"\n"), HasSubstr("heddle.toml:1: 'differs' is missing"));
  EXPECT_THAT(error_in(commute + "why = \"x\"\ndiffers = \"order\"\n"),
              HasSubstr("heddle.toml:4: 'differs' is \"order\""));
  EXPECT_THAT(error_in(commute + "differs = \"nothing\"\nwhy = \"\"\n"),
              HasSubstr("heddle.toml:4: 'why' is empty"));
  EXPECT_THAT(error_in("[[commute]]\nfunctions = \"f\"\n"),
              HasSubstr("heddle.toml:2: 'functions' is a string"));
  EXPECT_THAT(error_in("[[commute]]\nfunctions = [\n\"f\",\n7]\n"),
              HasSubstr("heddle.toml:4: 'functions' holds a number"));
  EXPECT_THAT(error_in("[[declared]]\nwhy = \"x\"\n"), HasSubstr("heddle.toml:1: 'location' is missing"));
  EXPECT_THAT(error_in("[allocators]\nfunctions = []\n"), HasSubstr("heddle.toml:2: 'functions' is empty"));
  EXPECT_THAT(error_in(commute + "differs = \"nothing\"\nwhy = \"x\"\nthrough_pointers = []\n"),
              HasSubstr("heddle.toml:5: 'through_pointers' is empty"));
  EXPECT_THAT(error_in("allocators = 3\n"), HasSubstr("heddle.toml:1: 'allocators' is a number"));
}

TEST(DeclarationFile, ScratchBehindAPointer) {
  Declarations declarations = llvm::cantFail(read(R"toml(
[[scratch]]
pointer = ["connection.in", "listener.buffer"]
make = "buffer_new(64, null)"
why = "one message"
)toml"));
  ASSERT_EQ(declarations.all.size(), 1u);
  EXPECT_THAT(declarations.all[0].names, ElementsAre("connection.in", "listener.buffer"));
  EXPECT_EQ(declarations.all[0].make, "buffer_new(64, null)");
  EXPECT_TRUE(declarations.trusted("proven").all.empty());
  const std::string pointer = "[[scratch]]\npointer = \"c.in\"\n";
  EXPECT_THAT(error_in(pointer + "why = \"x\"\n"), HasSubstr("heddle.toml:1: 'make' is missing"));
  EXPECT_THAT(error_in(pointer + "make = \"new\"\nwhy = \"x\"\n"),
              HasSubstr("heddle.toml:3: 'make' is \"new\""));
  EXPECT_THAT(error_in(pointer + "variable = \"v\"\n"), HasSubstr("heddle.toml:3: unknown key 'variable'"));
  EXPECT_THAT(error_in("[[scratch]]\npointer = 3\n"), HasSubstr("heddle.toml:2: 'pointer' is a number"));
}

TEST(DeclarationFile, AllMemoryBut) {
  Declarations declarations =
      llvm::cantFail(read("[[declared]]\nlocation = \"all memory\"\nshared = [\"table\"]\nwhy = \"x\"\n"));
  EXPECT_TRUE(declarations.all[0].is_of_all_memory());
  EXPECT_THAT(declarations.all[0].shared, ElementsAre("table"));
  EXPECT_THAT(error_in("[[declared]]\nlocation = \"x\"\nshared = [\"table\"]\nwhy = \"x\"\n"),
              HasSubstr("heddle.toml:3: 'shared' goes with location = \"all memory\" only"));
}

class DeclaredFunctions : public ::testing::Test {
protected:
  DeclaredFunctions() : image_(workshop_.image({HEDDLE_TEST_DIR "/programs/break_and_carried.c"})) {}

  PrepareOptions naming(const std::string& function) {
    PrepareOptions options;
    options.declarations = {"heddle.toml", {{"commute", {function}, "nothing", "why", {}, {4}}}};
    return options;
  }
  std::string error(const std::string& function) {
    auto program = prepare(image_, naming(function));
    return program ? "no error" : llvm::toString(program.takeError());
  }

  Workshop workshop_;
  ProgramImage image_;
};

TEST_F(DeclaredFunctions, MakeAnotherProgram) {
  EXPECT_NE(program_id(image_), program_id(image_, naming("a")));
  EXPECT_NE(program_id(image_, naming("a")), program_id(image_, naming("b")));
}

TEST_F(DeclaredFunctions, MustBeInTheProgram) {
  EXPECT_THAT(error("no_such_function"),
              HasSubstr("heddle.toml:4: the program has no function 'no_such_function'"));
  EXPECT_THAT(error("printf"), HasSubstr("heddle.toml:4: 'printf' is not part of the program"));
  EXPECT_THAT(error("maim"), HasSubstr("did you mean 'main'?"));
}

TEST(DeclaredFunctionNames, OfCxxAreQualified) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "_ZN5timer3addEi", module);
  EXPECT_TRUE(is_called(*function, "timer::add"));
  EXPECT_TRUE(is_called(*function, "_ZN5timer3addEi"));
  EXPECT_FALSE(is_called(*function, "add"));
}

} // namespace
} // namespace heddle::testing
