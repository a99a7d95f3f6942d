// The table of library functions: every line parses, and says what it seems to say.
#include "verify/dependencies/library.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

using Kind = LibraryEffect::Kind;
using Extent = LibraryEffect::Extent;

class Library : public testing::Test {
protected:
  llvm::Function* function(llvm::StringRef name, bool defined = false) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false);
    auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    if (defined) new llvm::UnreachableInst(context_, llvm::BasicBlock::Create(context_, "", made));
    return made;
  }

  llvm::LLVMContext context_;
  llvm::Module module_{"m", context_};
};

TEST_F(Library, CopiesReadAndWriteAsManyBytesAsTheyAreTold) {
  const LibraryFunction* copy = library_function(*function("memcpy"));
  ASSERT_NE(copy, nullptr);
  ASSERT_EQ(copy->effects.size(), 2u);
  EXPECT_EQ(copy->effects[0].kind, Kind::Read);
  EXPECT_EQ(copy->effects[0].argument, 1);
  EXPECT_EQ(copy->effects[1].kind, Kind::Write);
  EXPECT_EQ(copy->effects[1].extent, Extent::Arguments);
  EXPECT_EQ(copy->effects[1].size_argument, 2);
}

TEST_F(Library, ReceivingWritesAsMuchAsItReturns) {
  const LibraryFunction* receive = library_function(*function("recv"));
  ASSERT_NE(receive, nullptr);
  EXPECT_EQ(receive->effects[0].extent, Extent::Returned);
  EXPECT_EQ(receive->effects[1].kind, Kind::Descriptor);
}

TEST_F(Library, FreshMemoryIsTheResultsOrAnArguments) {
  EXPECT_EQ(library_function(*function("calloc"))->effects[0].kind, Kind::New);
  const LibraryFunction* at = library_function(*function("posix_memalign"));
  EXPECT_EQ(at->effects[1].kind, Kind::NewAt);
  EXPECT_EQ(at->effects[1].size_argument, 2);
}

TEST_F(Library, AFunctionOfTheProgramHasItsOwnCode) {
  EXPECT_EQ(library_function(*function("memcpy", true)), nullptr);
  EXPECT_EQ(library_function(*function("work", true)), nullptr);
  const LibraryFunction* get = library_function(*function("rte_mempool_get", true));
  ASSERT_NE(get, nullptr);
  EXPECT_TRUE(get->allocator);
}

} // namespace
