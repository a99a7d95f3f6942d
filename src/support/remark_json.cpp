#include "support/remark_json.h"

namespace heddle {

// Names and messages of programs, linkers and the kernel need not be UTF-8.
llvm::json::Object as_json(const Remark& remark) {
  using llvm::json::fixUTF8;
  return llvm::json::Object{{"code", remark.code},
                            {"where", fixUTF8(remark.where)},
                            {"what", fixUTF8(remark.what)},
                            {"hint", fixUTF8(remark.hint)}};
}

} // namespace heddle
