// Taking concatenated bitcode apart.
#include "toolchain/bitcode_files.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {

std::string bitcode(const std::string& name) {
  llvm::LLVMContext context;
  llvm::Module module(name, context);
  module.getOrInsertGlobal("v_" + name, llvm::Type::getInt32Ty(context));
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return bytes;
}

std::string wrapped(const std::string& file) {
  std::string header(20, '\0');
  auto put = [&](size_t at, uint32_t v) { memcpy(&header[at], &v, 4); };
  put(0, 0x0b17c0de);
  put(8, 20);
  put(12, file.size());
  return header + file;
}

} // namespace

TEST(BitcodeFiles, OneAfterAnother) {
  std::string a = bitcode("a"), b = bitcode("bb"), c = bitcode("ccc");
  std::string all = a + b + c;
  auto files = split_bitcode_files(all);
  ASSERT_TRUE(bool(files));
  ASSERT_EQ(files->size(), 3u);
  EXPECT_EQ((*files)[0], a);
  EXPECT_EQ((*files)[1], b);
  EXPECT_EQ((*files)[2], c);
}

TEST(BitcodeFiles, PaddingBetweenAndAfter) {
  std::string a = bitcode("a"), b = bitcode("b");
  std::string all = a + std::string(12, '\0') + b + std::string(7, '\0');
  auto files = split_bitcode_files(all);
  ASSERT_TRUE(bool(files));
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0], a);
  EXPECT_EQ((*files)[1].take_front(b.size()), b);
}

TEST(BitcodeFiles, WrapperHeader) {
  std::string a = bitcode("a"), b = bitcode("b"), all = wrapped(a) + b;
  auto files = split_bitcode_files(all);
  ASSERT_TRUE(bool(files));
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0], a);
  EXPECT_EQ((*files)[1], b);
}

TEST(BitcodeFiles, NothingIsNoError) {
  auto files = split_bitcode_files("");
  ASSERT_TRUE(bool(files));
  EXPECT_TRUE(files->empty());
}

TEST(BitcodeFiles, CutOffIsAnError) {
  std::string a = bitcode("a"), all = a + a.substr(0, a.size() / 2);
  auto files = split_bitcode_files(all);
  ASSERT_FALSE(bool(files));
  EXPECT_NE(llvm::toString(files.takeError()).find("cut off"), std::string::npos);
}

TEST(BitcodeFiles, GarbageIsAnError) {
  auto files = split_bitcode_files("this is not bitcode at all");
  ASSERT_FALSE(bool(files));
  llvm::consumeError(files.takeError());
}

TEST(BitcodeFiles, NoCutMakesItRunAway) {
  std::string all = bitcode("a") + bitcode("b");
  for (size_t size = 0; size < all.size(); size += 3) {
    auto files = split_bitcode_files(llvm::StringRef(all).take_front(size));
    if (!files) llvm::consumeError(files.takeError());
  }
}
