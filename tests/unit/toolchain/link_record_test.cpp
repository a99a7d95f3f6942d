// The section .heddle.link, written and read again.
#include "toolchain/link_record.h"

#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {

LinkRecord sample() {
  LinkRecord record;
  record.recipe.compiler = "clang++";
  record.recipe.directory = "/some/where";
  record.recipe.shared = true;
  record.recipe.inputs = {{LinkInput::Kind::Argument, "-O2", ""},
                          {LinkInput::Kind::Bitcode, "/some/a.o", ""},
                          {LinkInput::Kind::Native, "/odd/\xff.o", "/odd/\xff.o"},
                          {LinkInput::Kind::Archive, "/l.a", ""},
                          {LinkInput::Kind::Library, "/l.so", ""}};
  record.carried = {{"/odd/\xff.o", std::string("\0\1\2ELF\n", 7)}, {"empty", ""}};
  record.without_bitcode = {"/odd/\xff.o"};
  return record;
}

} // namespace

TEST(LinkRecord, ComesBackAsWritten) {
  LinkRecord in = sample();
  auto out = decode_link_record(encode_link_record(in) + std::string(5, '\0'));
  ASSERT_TRUE(bool(out));
  EXPECT_EQ(out->recipe.compiler, in.recipe.compiler);
  EXPECT_EQ(out->recipe.directory, in.recipe.directory);
  EXPECT_TRUE(out->recipe.shared);
  ASSERT_EQ(out->recipe.inputs.size(), in.recipe.inputs.size());
  for (size_t i = 0; i < in.recipe.inputs.size(); ++i) {
    EXPECT_EQ(out->recipe.inputs[i].kind, in.recipe.inputs[i].kind);
    EXPECT_EQ(out->recipe.inputs[i].text, in.recipe.inputs[i].text);
    EXPECT_EQ(out->recipe.inputs[i].content, in.recipe.inputs[i].content);
  }
  EXPECT_EQ(out->carried, in.carried);
  EXPECT_EQ(out->without_bitcode, in.without_bitcode);
}

TEST(LinkRecord, EveryCutIsAnError) {
  std::string bytes = encode_link_record(sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto out = decode_link_record(llvm::StringRef(bytes).take_front(size));
    EXPECT_FALSE(bool(out)) << size;
    llvm::consumeError(out.takeError());
  }
}

TEST(LinkRecord, ObjectIsNeutral) {
  std::string object = make_section_object(link_section, "content");
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "o"));
  ASSERT_TRUE(bool(file));
  bool found = false, stack = false, property = false;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    std::string name = llvm::cantFail(section.getName()).str();
    if (name == link_section) {
      found = true;
      EXPECT_EQ(llvm::cantFail(section.getContents()), "content");
      EXPECT_FALSE(llvm::object::ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC);
    }
    stack |= name == ".note.GNU-stack";
    property |= name == ".note.gnu.property";
  }
  EXPECT_TRUE(found && stack && property);
}
