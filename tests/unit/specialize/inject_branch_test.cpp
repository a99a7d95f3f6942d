// A branch in front of a lookup: keys that no entry can match are not looked up, and all others find what they found.
#include "specialize/inject_branch.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace llvm;
using namespace heddle;

namespace {

struct Key {
  uint32_t address;
  uint16_t port;
  uint8_t protocol, padding;
};

std::map<uint64_t, int> entries; // by key
int lookups;

uint64_t number_of(const Key& key) {
  uint64_t number;
  memcpy(&number, &key, sizeof number);
  return number;
}

extern "C" const int* find_in_table(const uint64_t* key) {
  ++lookups;
  auto entry = entries.find(*key);
  return entry == entries.end() ? nullptr : &entry->second;
}

constexpr const char* program = R"(
declare ptr @find_in_table(ptr)
define i32 @find(ptr %key) {
  %value = call ptr @find_in_table(ptr %key)
  %none = icmp eq ptr %value, null
  br i1 %none, label %miss, label %hit
hit:
  %found = load i32, ptr %value
  ret i32 %found
miss:
  ret i32 -1
}
)";

std::string bytes_of(uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

Table table_of_entries() {
  Table table{"t", TableKind::Exact, 8, 4, 4096, {}};
  for (const auto& [key, value] : entries)
    table.entries.push_back({bytes_of(key), std::string(4, '\0')});
  return table;
}

class InjectBranch : public ::testing::Test {
protected:
  void SetUp() override { entries.clear(); }

  void compile(const std::vector<NarrowField>& fields) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    SMDiagnostic problem;
    auto module = parseAssemblyString(program, problem, context_);
    Function& function = *module->getFunction("find");
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction)) {
        inject_branch(*call, *function.getArg(0), fields);
        break;
      }
    ASSERT_FALSE(verifyModule(*module, &errs()));
    engine_.reset(EngineBuilder(std::move(module)).create());
    engine_->addGlobalMapping("find_in_table", reinterpret_cast<uintptr_t>(&find_in_table));
    find_ = reinterpret_cast<int (*)(const uint64_t*)>(engine_->getFunctionAddress("find"));
  }

  void expect(const Key& key, int real_lookups) {
    lookups = 0;
    uint64_t number = number_of(key);
    auto entry = entries.find(number);
    EXPECT_EQ(find_(&number), entry == entries.end() ? -1 : entry->second);
    EXPECT_EQ(lookups, real_lookups);
  }

  LLVMContext context_;
  std::unique_ptr<ExecutionEngine> engine_;
  int (*find_)(const uint64_t*) = nullptr;
};

} // namespace

TEST_F(InjectBranch, OtherProtocolsAreNotLookedUp) {
  for (uint16_t i = 0; i != 100; ++i)
    entries[number_of(
        {i * 0x01030507U, static_cast<uint16_t>(80 + i), i % 2 ? uint8_t(6) : uint8_t(17), 0})] = i;
  auto fields = narrow_fields(table_of_entries());
  ASSERT_EQ(fields.size(),
            2U); // the address' highest byte has many values, as have its others and the port's
  EXPECT_EQ(fields[0].offset, 5U);
  EXPECT_EQ(fields[1].offset, 6U);
  EXPECT_EQ(fields[1].bytes, 2U);
  EXPECT_EQ(fields[1].values.size(), 2U);
  compile(fields);
  for (uint16_t i = 0; i != 100; ++i)
    expect({i * 0x01030507U, static_cast<uint16_t>(80 + i), i % 2 ? uint8_t(6) : uint8_t(17), 0}, 1);
  expect({0, 80, 6, 0}, 1);  // it might be there
  expect({0, 80, 1, 0}, 0);  // another protocol
  expect({0, 80, 17, 1}, 0); // dirty padding
  expect({0, 0x5050, 17, 0}, 0);
}

TEST_F(InjectBranch, FourValuesAreFewAndFiveAreNot) {
  for (uint8_t i = 0; i != 4; ++i)
    for (uint32_t j = 0; j != 9; ++j)
      entries[number_of({j * 0x01010101U, static_cast<uint16_t>(j * 0x0101), i, static_cast<uint8_t>(j)})] =
          i;
  auto fields = narrow_fields(table_of_entries());
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].offset, 6U);
  EXPECT_EQ(fields[0].bytes, 1U);
  for (uint32_t j = 0; j != 9; ++j)
    entries[number_of({j * 0x01010101U, static_cast<uint16_t>(j * 0x0101), 4, static_cast<uint8_t>(j)})] = 4;
  EXPECT_TRUE(narrow_fields(table_of_entries()).empty());
}

TEST_F(InjectBranch, OfPrefixesOnlyWhatAllOfThemCover) {
  auto prefix = [](uint32_t bits, std::string address) {
    return TableEntry{std::string(reinterpret_cast<const char*>(&bits), 4) + address, ""};
  };
  Table table{"t", TableKind::Lpm,
              8,   4,
              64,  {prefix(24, std::string("\x0a\1\2\0", 4)), prefix(16, std::string("\x0a\7\0\0", 4))}};
  auto fields = narrow_fields(table);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].offset, 4U);
  EXPECT_EQ(fields[0].bytes, 2U);
  EXPECT_EQ(fields[0].values.size(), 2U);
  table.entries.push_back(prefix(0, std::string(4, '\0')));
  EXPECT_TRUE(narrow_fields(table).empty());
}

TEST_F(InjectBranch, NothingOfTablesThatAreNotKnown) {
  entries[5] = 1;
  Table table = table_of_entries();
  EXPECT_FALSE(narrow_fields(table).empty());
  table.complete = false;
  EXPECT_TRUE(narrow_fields(table).empty());
  table.complete = true;
  table.kind = TableKind::Array;
  EXPECT_TRUE(narrow_fields(table).empty());
  table.kind = TableKind::Exact;
  table.entries.clear();
  EXPECT_TRUE(narrow_fields(table).empty());
}
