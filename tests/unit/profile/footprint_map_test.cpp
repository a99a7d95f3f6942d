// The footprint build: stamped code is the program's code, and every byte of it has a block.
#include "code.h"
#include "profile/line_stamp.h"
#include "profile/machine_code.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle {
namespace {

constexpr const char* source = R"(
#include <stdio.h>
#include <stdlib.h>
static int table[64];
__attribute__((noinline)) int parse(const unsigned char *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    switch (p[i] & 15) {
    case 0: sum += 3; break;
    case 1: sum *= p[i]; break;
    case 2: printf("two %d\n", sum); break;
    case 3: printf("three %d\n", sum); break;
    case 4: abort();
    case 5: sum ^= table[p[i]]; break;
    case 6: sum = sum > 9 ? sum - 9 : sum + 1; break;
    default: table[sum & 63]++;
    }
  }
  return sum;
}
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 1; i < argc; ++i) sum += parse((unsigned char *)argv[i], i);
  return sum & 1;
}
)";

std::string text_of(const std::string& path) {
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
  for (const auto& section : binary.getBinary()->sections())
    if (llvm::cantFail(section.getName()) == ".text") return llvm::cantFail(section.getContents()).str();
  return {};
}

// Sizes of functions, by name.
std::map<std::string, std::pair<uint64_t, uint64_t>> functions_of(const std::string& path) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> result;
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
  for (const llvm::object::ELFSymbolRef symbol : binary.getBinary()->symbols())
    if (symbol.getELFType() == llvm::ELF::STT_FUNC)
      result[llvm::cantFail(symbol.getName()).str()] = {llvm::cantFail(symbol.getAddress()),
                                                        symbol.getSize()};
  return result;
}

struct FootprintMapTest : testing::TestWithParam<const char*> {};

TEST_P(FootprintMapTest, CodeIsUnchangedAndEveryByteHasABlock) {
  test::Code code(source, {"-O2", GetParam()});
  std::unique_ptr<llvm::Module> stamped = llvm::CloneModule(*code.module);
  stamp_blocks(*stamped);
  EXPECT_FALSE(llvm::verifyModule(*stamped, &llvm::errs()));
  EXPECT_EQ(text_of(code.object(*code.module, "plain")), text_of(code.object(*stamped, "stamped")));

  std::string linked = code.program(*stamped, "linked");
  BlockTable table(*code.module);
  auto map = read_footprint(linked, table.size());
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  auto functions = functions_of(linked);
  for (const llvm::Function& function : *code.module) {
    if (function.isDeclaration()) continue;
    auto [begin, size] = functions.at(function.getName().str());
    llvm::DenseSet<uint64_t> bytes;
    for (const llvm::BasicBlock& block : function)
      for (const MachineRange& range : (*map)[table.id(&block)].ranges)
        for (uint64_t i = 0; i < range.bytes; ++i) {
          EXPECT_TRUE(range.address >= begin && range.address < begin + size);
          bytes.insert(range.address + i);
        }
    EXPECT_EQ(bytes.size(), size) << function.getName().str();
    EXPECT_EQ((*map)[table.id(&function.getEntryBlock())].ranges.front().address, begin);
  }
}

INSTANTIATE_TEST_SUITE_P(DebugInformation, FootprintMapTest, testing::Values("-g0", "-g"),
                         [](const auto& info) { return info.index ? "With" : "Without"; });

TEST(FootprintMapErrors, ProgramWithoutBlockNumbers) {
  test::Code code(source);
  auto map = read_footprint(code.program(*code.module, "plain"), 1);
  ASSERT_FALSE(bool(map));
  EXPECT_NE(llvm::toString(map.takeError()).find("no block numbers"), std::string::npos);
}

TEST(FootprintMapErrors, NotAnElfFile) {
  test::Code code("int main(void) { return 0; }");
  auto map = read_footprint(code.file("code.c"), 1);
  ASSERT_FALSE(bool(map));
  EXPECT_NE(llvm::toString(map.takeError()).find("not an object"), std::string::npos);
}

} // namespace
} // namespace heddle
