#include "toolchain/bitcode_files.h"

#include "llvm/Bitstream/BitstreamReader.h"
#include "llvm/Support/Endian.h"

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr uint32_t file_magic = 0xdec04342;    // 'B' 'C' 0xC0 0xDE
constexpr uint32_t wrapper_magic = 0x0b17c0de; // a header with offset and size before the file
constexpr size_t wrapper_header = 20;

Error damaged(const llvm::Twine& what, size_t offset) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "bitcode " + what + " at offset " + llvm::Twine(offset) + " of the section");
}

uint32_t word_at(StringRef bytes, size_t offset) {
  return llvm::support::endian::read32le(bytes.data() + offset);
}

// The length of the file at the start of `bytes`, which begins with its magic word.
Expected<size_t> file_length(StringRef bytes, size_t base) {
  llvm::BitstreamCursor cursor(bytes);
  if (Error error = cursor.JumpToBit(32)) return std::move(error);
  while (true) {
    size_t at = cursor.getCurrentByteNo();
    if (bytes.size() - at < 4) return bytes.size();
    uint32_t word = word_at(bytes, at);
    if (word == 0 || word == file_magic || word == wrapper_magic) return at;
    auto entry = cursor.advance(llvm::BitstreamCursor::AF_DontAutoprocessAbbrevs);
    if (!entry) return entry.takeError();
    if (entry->Kind != llvm::BitstreamEntry::SubBlock) return damaged("damaged", base + at);
    // A block: abbreviation width, padding, then the length in words.
    if (Error error = cursor.SkipBlock()) {
      llvm::consumeError(std::move(error));
      return damaged("cut off", base + at);
    }
  }
}

} // namespace

Expected<std::vector<StringRef>> split_bitcode_files(StringRef bytes) {
  std::vector<StringRef> files;
  size_t at = 0;
  while (at < bytes.size()) {
    if (bytes[at] == 0) {
      ++at;
      continue;
    }
    StringRef rest = bytes.drop_front(at);
    if (rest.size() < 8) return damaged("cut off", at);
    if (word_at(rest, 0) == wrapper_magic) {
      if (rest.size() < wrapper_header) return damaged("cut off", at);
      size_t offset = word_at(rest, 8), size = word_at(rest, 12);
      if (offset > rest.size() || size > rest.size() - offset) return damaged("cut off", at);
      files.push_back(rest.substr(offset, size));
      at += offset + size;
      continue;
    }
    if (word_at(rest, 0) != file_magic) return damaged("expected", at);
    Expected<size_t> length = file_length(rest, at);
    if (!length) return length.takeError();
    files.push_back(rest.take_front(*length));
    at += *length;
  }
  return files;
}

} // namespace heddle
