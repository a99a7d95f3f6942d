// What the wrapper reads out of a compiler command line.
#include "toolchain/command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace heddle;
using testing::ElementsAre;
using Kind = DriverItem::Kind;

namespace {

DriverCommand parse(std::vector<const char*> arguments) {
  return parse_driver_command(arguments);
}

std::vector<std::string> texts(const DriverCommand& command, Kind kind) {
  std::vector<std::string> found;
  for (const DriverItem& item : command.items)
    if (item.kind == kind) found.push_back(item.value.empty() ? item.text : item.text + "|" + item.value);
  return found;
}

} // namespace

TEST(CommandLine, PhaseFollowsTheDriver) {
  EXPECT_EQ(parse({"a.c"}).phase, DriverPhase::Link);
  EXPECT_EQ(parse({"-c", "a.c"}).phase, DriverPhase::Object);
  EXPECT_EQ(parse({"-c", "-S", "a.c"}).phase, DriverPhase::NoObject);
  EXPECT_EQ(parse({"-c", "a.c", "-E"}).phase, DriverPhase::Preprocess);
  EXPECT_EQ(parse({"-M", "a.c"}).phase, DriverPhase::Preprocess);
  EXPECT_EQ(parse({"-MMD", "-MF", "a.d", "-c", "a.c"}).phase, DriverPhase::Object);
  EXPECT_EQ(parse({"-c", "-emit-llvm", "a.c"}).phase, DriverPhase::NoObject);
  EXPECT_EQ(parse({"-x", "c++-header", "a.hpp", "-o", "a.pch"}).phase, DriverPhase::NoObject);
  EXPECT_EQ(parse({"a.h"}).phase, DriverPhase::NoObject);
  EXPECT_EQ(parse({"-lfoo"}).phase, DriverPhase::Link);
}

TEST(CommandLine, QueriesMakeNothing) {
  for (const char* query : {"--version", "-print-search-dirs", "-dumpversion", "-###", "--help"})
    EXPECT_EQ(parse({"a.c", query}).phase, DriverPhase::Query) << query;
  EXPECT_EQ(parse({"-v"}).phase, DriverPhase::Query);
  EXPECT_EQ(parse({"-O2", "-o", "x.c"}).phase, DriverPhase::Query) << "the value of -o is no input";
}

TEST(CommandLine, InputsByNameAndByLanguage) {
  DriverCommand command =
      parse({"a.c", "b.S", "c.o", "libd.a", "-x", "c", "odd.txt", "-", "-x", "none", "e.cpp"});
  EXPECT_THAT(texts(command, Kind::Compiled), ElementsAre("a.c", "odd.txt", "-", "e.cpp"));
  EXPECT_THAT(texts(command, Kind::Assembled), ElementsAre("b.S"));
  EXPECT_THAT(texts(command, Kind::Linked), ElementsAre("c.o", "libd.a"));
  EXPECT_THAT(texts(parse({"-xassembler-with-cpp", "-c", "x.c"}), Kind::Assembled), ElementsAre("x.c"));
}

TEST(CommandLine, ValuesAreNotInputs) {
  DriverCommand command = parse({"-I", "inc.c", "-include", "b.c", "-MF", "d.c", "-T", "s.c", "-Xclang",
                                 "e.c", "--param", "f.c", "-o", "g.c", "-c", "real.c"});
  EXPECT_THAT(texts(command, Kind::Compiled), ElementsAre("real.c"));
}

TEST(CommandLine, LinkerArgumentsAreTakenApart) {
  DriverCommand command = parse({"a.o", "-Wl,-rpath,/x", "-Wl,--version-script=v.map", "-Wl,-rpath", "-Wl,/y",
                                 "-Wl,--whole-archive,libz.a,--no-whole-archive", "-Xlinker", "-lq"});
  EXPECT_THAT(texts(command, Kind::LinkOption),
              ElementsAre("-rpath|/x", "--version-script|v.map", "-rpath|/y", "--whole-archive",
                          "--no-whole-archive"));
  EXPECT_THAT(texts(command, Kind::Linked), ElementsAre("a.o", "libz.a"));
  EXPECT_THAT(texts(command, Kind::Library), ElementsAre("q"));
}

TEST(CommandLine, SharedAndPartialLinks) {
  EXPECT_TRUE(parse({"-shared", "a.o"}).shared);
  EXPECT_TRUE(parse({"-r", "a.o"}).partial);
  EXPECT_TRUE(parse({"-nostdlib", "-Wl,-r", "a.o"}).partial);
  EXPECT_FALSE(parse({"-rdynamic", "a.o"}).partial);
  EXPECT_TRUE(parse({"-m32", "a.c"}).foreign_target);
}

TEST(CommandLine, TargetsForEbpf) {
  EXPECT_TRUE(parse({"-target", "bpf", "-c", "a.c"}).bpf_target);
  EXPECT_TRUE(parse({"--target=bpfel", "-c", "a.c"}).bpf_target);
  EXPECT_FALSE(parse({"--target=x86_64-linux-gnu", "-c", "a.c"}).bpf_target);
  EXPECT_FALSE(parse({"-c", "bpf.c"}).bpf_target);
}

TEST(CommandLine, DebugOptionsOfTheUser) {
  for (const char* option : {"-g", "-g0", "-g1", "-ggdb3", "-gdwarf-4", "-gline-tables-only"})
    EXPECT_TRUE(parse({"-c", option, "a.c"}).has_debug) << option;
  for (const char* option : {"-gsplit-dwarf", "-gz", "-gcolumn-info", "-O2", "-gdwarf64"})
    EXPECT_FALSE(parse({"-c", option, "a.c"}).has_debug) << option;
}

TEST(CommandLine, ResponseFilesAreExpanded) {
  std::string path = testing::TempDir() + "/heddle-response";
  std::ofstream(path) << "-c \"with space.c\"\n-DX='a b' -flto";
  std::string argument = "@" + path;
  DriverCommand command = parse({argument.c_str(), "-O2"});
  EXPECT_THAT(command.arguments, ElementsAre("-c", "with space.c", "-DX=a b", "-flto", "-O2"));
  EXPECT_TRUE(command.response_files);
  EXPECT_THAT(texts(command, Kind::Compiled), ElementsAre("with space.c"));
  EXPECT_THAT(parse({"@/does/not/exist", "a.c"}).arguments, ElementsAre("@/does/not/exist", "a.c"));
}

TEST(CommandLine, LtoOptions) {
  for (const char* option : {"-flto", "-flto=thin", "-flto=auto", "-ffat-lto-objects", "-fembed-bitcode"})
    EXPECT_TRUE(is_lto_option(option)) << option;
  for (const char* option : {"-fno-lto", "-O2", "-fltrans"})
    EXPECT_FALSE(is_lto_option(option)) << option;
}
