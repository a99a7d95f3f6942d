// Text that many records share, such as the places of accesses: a word in each, the text once, kept for as long as the process runs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

class PooledText {
public:
  PooledText() = default;
  PooledText(llvm::StringRef text);
  PooledText(const std::string& text) : PooledText(llvm::StringRef(text)) {}
  PooledText(const char* text) : PooledText(llvm::StringRef(text)) {}

  const std::string& str() const;
  operator llvm::StringRef() const { return str(); }
  bool empty() const { return text_ == nullptr; }
  friend bool operator==(PooledText a, PooledText b) { return a.text_ == b.text_; }
  friend bool operator<(PooledText a, PooledText b) { return a.text_ != b.text_ && a.str() < b.str(); }

private:
  const std::string* text_ = nullptr; // null: empty
};

} // namespace heddle
