// Lookups that became compares: for every key the same answer as the table's.
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
#include <optional>
#include <random>

using namespace llvm;
using namespace heddle;

namespace {

// find(key) gives the first four bytes of the value, or 0xffffffff for null.
constexpr const char* program = R"(
declare ptr @lookup(ptr)
define i32 @find(ptr %key) {
  %value = call ptr @lookup(ptr %key)
  %none = icmp eq ptr %value, null
  br i1 %none, label %miss, label %hit
hit:
  %number = load i32, ptr %value
  ret i32 %number
miss:
  ret i32 -1
}
)";

class Compiled {
public:
  explicit Compiled(const Table& table) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    SMDiagnostic problem;
    auto module = parseAssemblyString(program, problem, context_);
    Function& function = *module->getFunction("find");
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction)) {
        if (table.entries.empty())
          eliminate_lookup(*call);
        else
          inline_lookup(*call, *function.getArg(0), table, ".rodata.test");
        break;
      }
    EXPECT_FALSE(verifyModule(*module, &errs()));
    engine_.reset(EngineBuilder(std::move(module)).create());
    find_ = reinterpret_cast<uint32_t (*)(const char*)>(engine_->getFunctionAddress("find"));
  }

  uint32_t operator()(const std::string& key) const { return find_(key.data()); }

private:
  LLVMContext context_;
  std::unique_ptr<ExecutionEngine> engine_;
  uint32_t (*find_)(const char*) = nullptr;
};

std::string bytes_of(uint32_t number) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &number, 4);
  return bytes;
}

std::string random_bytes(std::mt19937& random, size_t count, unsigned values) {
  std::string bytes;
  for (size_t i = 0; i != count; ++i)
    bytes += static_cast<char>(random() % values * 37);
  return bytes;
}

bool has_prefix(const std::string& key, const std::string& prefix, uint32_t bits) {
  for (uint32_t i = 0; i != bits; ++i)
    if (((key[4 + i / 8] ^ prefix[4 + i / 8]) & (0x80 >> (i % 8))) != 0) return false;
  return true;
}

// As the kernel's trie_lookup_elem() finds it.
uint32_t longest_match(const Table& table, const std::string& key) {
  uint32_t length = 0, found = 0xffffffff;
  std::memcpy(&length, key.data(), 4);
  if (length > (table.key_bytes - 4) * 8) return found;
  std::optional<uint32_t> best;
  for (const TableEntry& entry : table.entries) {
    uint32_t bits = 0;
    std::memcpy(&bits, entry.key.data(), 4);
    if (bits > length || !has_prefix(key, entry.key, bits) || (best && *best >= bits)) continue;
    best = bits;
    std::memcpy(&found, entry.value.data(), 4);
  }
  return found;
}

} // namespace

TEST(InlineTable, EmptyFindsNothing) {
  EXPECT_EQ(Compiled({"t", TableKind::Exact, 4, 4, 8, {}})("abcd"), 0xffffffff);
}

TEST(InlineTable, ExactKeysOfAllSizes) {
  std::mt19937 random(1);
  for (uint32_t size = 1; size != 24; ++size) {
    Table table{"t", TableKind::Exact, size, 4, 64, {}};
    while (table.entries.size() != std::min(12U, size * 2)) {
      std::string key = random_bytes(random, size, 3);
      if (none_of(table.entries, [&](const TableEntry& entry) { return entry.key == key; }))
        table.entries.push_back({key, bytes_of(table.entries.size())});
    }
    Compiled find(table);
    for (uint32_t i = 0; i != table.entries.size(); ++i)
      EXPECT_EQ(find(table.entries[i].key), i) << size;
    for (int i = 0; i != 200; ++i) {
      std::string key = random_bytes(random, size, 3);
      auto entry = find_if(table.entries, [&](const TableEntry& e) { return e.key == key; });
      EXPECT_EQ(find(key), entry == table.entries.end() ? 0xffffffff : entry - table.entries.begin()) << size;
    }
  }
}

TEST(InlineTable, ArrayEndsWhereItEnds) {
  Table table{"t", TableKind::Array, 4, 4, 3, {}};
  for (uint32_t i = 0; i != 3; ++i)
    table.entries.push_back({bytes_of(i), bytes_of(10 + i)});
  Compiled find(table);
  EXPECT_EQ(find(bytes_of(0)), 10U);
  EXPECT_EQ(find(bytes_of(2)), 12U);
  EXPECT_EQ(find(bytes_of(3)), 0xffffffff);
  EXPECT_EQ(find(bytes_of(0x10000)), 0xffffffff);
}

TEST(InlineTable, LongestPrefix) {
  std::mt19937 random(2);
  for (uint32_t size : {1, 3, 4, 6, 16}) {
    for (int round = 0; round != 20; ++round) {
      Table table{"t", TableKind::Lpm, 4 + size, 4, 64, {}};
      while (table.entries.size() != 10) {
        uint32_t bits = random() % (size * 8 + 1);
        std::string key = bytes_of(bits) + random_bytes(random, size, 4);
        bool known = any_of(table.entries, [&](const TableEntry& entry) {
          return entry.key.substr(0, 4) == key.substr(0, 4) && has_prefix(key, entry.key, bits);
        });
        if (!known) table.entries.push_back({key, bytes_of(table.entries.size())});
        if (known && size == 1 && random() % 8 == 0) break; // few short prefixes are different
      }
      Compiled find(table);
      for (int i = 0; i != 300; ++i) {
        uint32_t length = random() % 4 == 0 ? random() % (size * 8 + 3) : size * 8;
        std::string key = bytes_of(length) + random_bytes(random, size, 4);
        ASSERT_EQ(find(key), longest_match(table, key)) << size << " bytes, length " << length;
      }
    }
  }
}
