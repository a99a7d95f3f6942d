// Compares in front of a lookup: for every key what the lookup itself finds, and for hot keys without it.
#include "specialize/inline_table.h"

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

struct Entry {
  uint32_t number, unused, wide[2];
};

std::map<uint64_t, Entry> entries; // by key
int lookups;

extern "C" const Entry* test_lookup(const uint64_t* key) {
  ++lookups;
  auto entry = entries.find(*key);
  return entry == entries.end() ? nullptr : &entry->second;
}

// Reads two fields at fixed places, one of them twice, and one at a computed place.
constexpr const char* program = R"(
declare ptr @test_lookup(ptr)
define i32 @find(ptr %key, i64 %chosen) {
  %value = call ptr @test_lookup(ptr %key)
  %none = icmp eq ptr %value, null
  br i1 %none, label %miss, label %hit
hit:
  %number = load i32, ptr %value
  %wide = getelementptr i8, ptr %value, i64 8
  %at = getelementptr i32, ptr %wide, i64 %chosen
  %first = load i32, ptr %at
  %again = load i32, ptr %value
  %sum = add i32 %number, %first
  %all = add i32 %sum, %again
  ret i32 %all
miss:
  ret i32 -1
}
)";

std::string bytes_of(const void* from, size_t size) {
  return std::string(static_cast<const char*>(from), size);
}

KnownLookup known(uint64_t key, uint64_t count) {
  KnownLookup lookup{bytes_of(&key, 8), std::nullopt, count};
  if (auto entry = entries.find(key); entry != entries.end())
    lookup.value = bytes_of(&entry->second, sizeof(Entry));
  return lookup;
}

class HotKeys : public ::testing::Test {
protected:
  void compile(const HotLookups& hot, TableKind kind = TableKind::Exact) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    SMDiagnostic problem;
    auto module = parseAssemblyString(program, problem, context_);
    Function& function = *module->getFunction("find");
    Table shape{"t", kind, 8, sizeof(Entry), 4096, {}, /*complete=*/false};
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction)) {
        add_hot_keys(*call, *function.getArg(0), shape, hot, ".rodata.test");
        break;
      }
    ASSERT_FALSE(verifyModule(*module, &errs()));
    engine_.reset(EngineBuilder(std::move(module)).create());
    engine_->addGlobalMapping("test_lookup", reinterpret_cast<uintptr_t>(&test_lookup));
    find_ = reinterpret_cast<uint32_t (*)(const uint64_t*, uint64_t)>(engine_->getFunctionAddress("find"));
  }

  void expect(uint64_t key, int real_lookups) {
    for (uint64_t chosen : {0, 1}) {
      lookups = 0;
      auto entry = entries.find(key);
      uint32_t wanted = entry == entries.end() ? -1U : 2 * entry->second.number + entry->second.wide[chosen];
      EXPECT_EQ(find_(&key, chosen), wanted) << key;
      EXPECT_EQ(lookups, real_lookups) << key;
    }
  }

  LLVMContext context_;
  std::unique_ptr<ExecutionEngine> engine_;
  uint32_t (*find_)(const uint64_t*, uint64_t) = nullptr;
};

} // namespace

TEST_F(HotKeys, FoundWithoutTheTableAndAllOthersInIt) {
  entries.clear();
  for (uint32_t i = 0; i != 200; ++i)
    entries[uint64_t(i) << 33 | i] = {i, 0, {1000 + i, 2000 + i}};
  HotLookups hot;
  for (uint32_t i = 0; i != 16; ++i)
    hot.known.push_back(known(uint64_t(i) << 33 | i, 100 - i));
  hot.others = 50;
  compile(hot);
  for (uint32_t i = 0; i != 200; ++i)
    expect(uint64_t(i) << 33 | i, i < 16 ? 0 : 1);
  expect(3, 1); // half of a hot key
  expect(uint64_t(3) << 33, 1);
}

TEST_F(HotKeys, KeysThatAreKnownNotToBeThere) {
  entries.clear();
  entries[1] = {5, 0, {6, 7}};
  HotLookups hot{{known(2, 90), known(1, 80), known(9, 1)}, 0};
  compile(hot);
  expect(1, 0);
  expect(2, 0);
  expect(9, 0);
  expect(3, 1);
  entries[3] = {8, 0, {9, 9}}; // the table itself is asked
  expect(3, 1);
}

TEST_F(HotKeys, OfPrefixesTheWholeKeyIsCompared) {
  entries.clear();
  uint64_t full = 32 | 0x0a000001ULL << 32, shorter = 24 | 0x0a000001ULL << 32;
  entries[full] = {1, 0, {2, 3}};
  entries[shorter] = {4, 0, {5, 6}};
  compile({{known(full, 10)}, 1}, TableKind::Lpm);
  expect(full, 0);
  expect(shorter, 1);
}
