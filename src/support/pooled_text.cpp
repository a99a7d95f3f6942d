#include "support/pooled_text.h"

#include <mutex>
#include <set>

namespace heddle {

PooledText::PooledText(llvm::StringRef text) {
  if (text.empty()) return;
  static std::mutex mutex;
  static std::set<std::string, std::less<>> pool;
  const std::scoped_lock lock(mutex);
  auto found = pool.find(std::string_view(text));
  text_ = &*(found == pool.end() ? pool.insert(text.str()).first : found);
}

const std::string& PooledText::str() const {
  static const std::string none;
  return text_ == nullptr ? none : *text_;
}

} // namespace heddle
